package io.weir.bench.redis;

import io.weir.bench.report.Latencies;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a number of requests in flight: each answer starts the next request, on the thread that
 * brought it.
 *
 * <p>An answer that is there at once cannot do so inside the call that gave it; its next request
 * waits for that call to return. After a long run of such answers the loop's own threads go on, or
 * else the candidate's thread would never come to read from its connection again. There is one for
 * each core: who needs no server has them to itself.
 */
final class ClosedLoop implements AutoCloseable {
  private static final int LONGEST_RUN = 1000;
  private static final long PATIENCE_SECONDS = 60;

  private final Candidate candidate;
  private final Callers callers;
  private final CountDownLatch ended;
  private final LongAdder granted = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ThreadLocal<Turn> turns = ThreadLocal.withInitial(Turn::new);
  private final Queue<Request> handedOver = new ConcurrentLinkedQueue<>();
  private final Thread[] own = new Thread[Runtime.getRuntime().availableProcessors()];
  private volatile @Nullable Latencies recording;
  private volatile boolean stopped;

  private ClosedLoop(Candidate candidate, int inFlight, Callers callers) {
    this.candidate = candidate;
    this.callers = callers;
    ended = new CountDownLatch(inFlight);
    for (int i = 0; i < inFlight; i++) {
      handedOver.add(new Request());
    }
    for (int i = 0; i < own.length; i++) {
      own[i] = new Thread(this::run, "closed-loop-" + i);
      own[i].setDaemon(true);
    }
  }

  static ClosedLoop start(Candidate candidate, int inFlight, Callers callers) {
    ClosedLoop loop = new ClosedLoop(candidate, inFlight, callers);
    for (Thread thread : loop.own) {
      thread.start();
    }
    return loop;
  }

  /** Asks for each of these callers, so many at a time, and returns when all are answered. */
  static void runOut(Candidate candidate, int inFlight, Callers callers) {
    try (ClosedLoop loop = start(candidate, inFlight, callers)) {
      loop.ended.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Adds the latencies of answers from now on; to none if null. */
  void record(@Nullable Latencies latencies) {
    recording = latencies;
  }

  /** What it shows in the next while. */
  Sample watch(Server server, long millis) throws InterruptedException {
    Latencies latencies = new Latencies();
    long commands = server.commands();
    double cpu = server.cpuMicros();
    long before = granted();
    long start = System.nanoTime();
    record(latencies);
    Thread.sleep(millis);
    record(null);
    double seconds = (System.nanoTime() - start) / 1e9;
    long yes = granted() - before;
    cpu = server.cpuMicros() - cpu;
    return new Sample(seconds, latencies, yes, cpu, server.commands() - commands);
  }

  /** The answers so far that said yes. */
  long granted() {
    return granted.sum();
  }

  /** Ends when all that is in flight is answered; fails if anything failed since the start. */
  @Override
  public void close() {
    stopped = true;
    try {
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(ended.getCount() + " requests were never answered");
      }
      for (Thread thread : own) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    Throwable first = failure.get();
    if (first != null) {
      throw new IllegalStateException("a request failed: " + first, first);
    }
  }

  private void run() {
    while (ended.getCount() > 0) {
      Request request = handedOver.poll();
      if (request == null) {
        LockSupport.parkNanos(1_000_000);
      } else {
        next(request);
      }
    }
  }

  /** Sends the request and those that become due by it, unless this thread does so already. */
  private void next(Request request) {
    Turn turn = turns.get();
    turn.due.add(request);
    if (turn.taken) {
      return;
    }
    turn.taken = true;
    Request due = turn.due.poll();
    for (int run = 0; due != null; run++) {
      if (run < LONGEST_RUN) {
        due.send();
      } else {
        handedOver.add(due);
        for (Thread thread : own) {
          LockSupport.unpark(thread);
        }
      }
      due = turn.due.poll();
    }
    turn.taken = false;
  }

  private void fail(Throwable cause) {
    failure.compareAndSet(null, cause);
    stopped = true;
  }

  /** What one thread has to send when the call it is in returns. */
  private static final class Turn {
    final Queue<Request> due = new ArrayDeque<>();
    boolean taken;
  }

  /** One of those in flight, again and again. */
  private final class Request implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    private long sent;

    void send() {
      String caller = stopped ? null : callers.next();
      if (caller == null) {
        ended.countDown();
        return;
      }
      sent = System.nanoTime();
      try {
        candidate.ask(caller).whenComplete(this);
      } catch (RuntimeException e) {
        accept(null, e);
      }
    }

    @Override
    public void accept(@Nullable Object answer, @Nullable Throwable cause) {
      try {
        if (answer == null) {
          fail(cause == null ? new IllegalStateException("no answer") : cause);
        } else {
          if (candidate.allowed(answer)) {
            granted.increment();
          }
          Latencies latencies = recording;
          if (latencies != null) {
            latencies.add(System.nanoTime() - sent);
          }
        }
      } catch (RuntimeException e) {
        fail(e);
      }
      next(this);
    }
  }
}
