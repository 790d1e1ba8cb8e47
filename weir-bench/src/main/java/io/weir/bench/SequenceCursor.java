package io.weir.bench;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A thread's position in a shared sequence; each thread starts at another position. */
@State(Scope.Thread)
public class SequenceCursor {
  private static final AtomicInteger THREADS = new AtomicInteger();

  private int at = THREADS.getAndIncrement() * 1_234_567;

  /** Returns the next element of a sequence whose length is a power of two. */
  int next(int[] sequence) {
    return sequence[at++ & sequence.length - 1];
  }
}
