package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;
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
 * Keeps a number of requests in flight: each answer triggers the next request, on the thread that
 * completed it.
 *
 * <p>If an answer is immediate, the next request is sent after the call returns. After many
 * immediate answers the loop's own threads continue, otherwise the candidate's thread would never
 * read from its connection again. There is one thread per core, for candidates that need no server.
 */
final class ClosedLoop implements AutoCloseable {
  private static final int MAX_IMMEDIATE_ANSWERS = 1000;
  private static final long ANSWER_TIMEOUT_SECONDS = 60;

  private final LimiterCandidate candidate;
  private final CallerSequence callers;
  private final CountDownLatch ended;
  private final LongAdder granted = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ThreadLocal<SendQueue> sendQueues = ThreadLocal.withInitial(SendQueue::new);
  private final Queue<InFlightRequest> handedOver = new ConcurrentLinkedQueue<>();
  private final Thread[] threads = new Thread[Runtime.getRuntime().availableProcessors()];
  private volatile @Nullable LatencyHistogram recording;
  private volatile boolean stopped;

  private ClosedLoop(LimiterCandidate candidate, int inFlight, CallerSequence callers) {
    this.candidate = candidate;
    this.callers = callers;
    ended = new CountDownLatch(inFlight);
    for (int i = 0; i < inFlight; i++) {
      handedOver.add(new InFlightRequest());
    }
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(this::run, "closed-loop-" + i);
      threads[i].setDaemon(true);
    }
  }

  static ClosedLoop start(LimiterCandidate candidate, int inFlight, CallerSequence callers) {
    ClosedLoop loop = new ClosedLoop(candidate, inFlight, callers);
    for (Thread thread : loop.threads) {
      thread.start();
    }
    return loop;
  }

  /** Sends one request per caller with a limit in flight, and returns when all are answered. */
  static void runAll(LimiterCandidate candidate, int inFlight, CallerSequence callers) {
    try (ClosedLoop loop = start(candidate, inFlight, callers)) {
      loop.ended.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Records latencies from now on in this histogram; null records none. */
  void recordInto(@Nullable LatencyHistogram latencies) {
    recording = latencies;
  }

  /** Measures for a time. */
  LoadSample measure(MeasuredRedis server, long millis) throws InterruptedException {
    LatencyHistogram latencies = new LatencyHistogram();
    long commands = server.commands();
    double cpu = server.cpuMicros();
    long before = granted();
    long start = System.nanoTime();
    recordInto(latencies);
    Thread.sleep(millis);
    recordInto(null);
    double seconds = (System.nanoTime() - start) / 1e9;
    long grantedNow = granted() - before;
    cpu = server.cpuMicros() - cpu;
    return new LoadSample(seconds, latencies, grantedNow, cpu, server.commands() - commands);
  }

  /** Returns the number of requests allowed so far. */
  long granted() {
    return granted.sum();
  }

  /** Waits for all requests in flight; fails if any request failed since the start. */
  @Override
  public void close() {
    stopped = true;
    try {
      if (!ended.await(ANSWER_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(ended.getCount() + " requests were never answered");
      }
      for (Thread thread : threads) {
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
      InFlightRequest request = handedOver.poll();
      if (request == null) {
        LockSupport.parkNanos(1_000_000);
      } else {
        sendNext(request);
      }
    }
  }

  /** Sends the request and those that follow immediately, unless this thread is already sending. */
  private void sendNext(InFlightRequest request) {
    SendQueue turn = sendQueues.get();
    turn.due.add(request);
    if (turn.sending) {
      return;
    }
    turn.sending = true;
    InFlightRequest due = turn.due.poll();
    for (int run = 0; due != null; run++) {
      if (run < MAX_IMMEDIATE_ANSWERS) {
        due.send();
      } else {
        handedOver.add(due);
        for (Thread thread : threads) {
          LockSupport.unpark(thread);
        }
      }
      due = turn.due.poll();
    }
    turn.sending = false;
  }

  private void fail(Throwable cause) {
    failure.compareAndSet(null, cause);
    stopped = true;
  }

  /** The requests a thread sends when its current call returns. */
  private static final class SendQueue {
    final Queue<InFlightRequest> due = new ArrayDeque<>();
    boolean sending;
  }

  /** One of the concurrent requests; reused for its successors. */
  private final class InFlightRequest implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    private long sentNanos;

    void send() {
      String caller = stopped ? null : callers.next();
      if (caller == null) {
        ended.countDown();
        return;
      }
      sentNanos = System.nanoTime();
      try {
        candidate.decide(caller).whenComplete(this);
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
          if (candidate.isAllowed(answer)) {
            granted.increment();
          }
          LatencyHistogram latencies = recording;
          if (latencies != null) {
            latencies.add(System.nanoTime() - sentNanos);
          }
        }
      } catch (RuntimeException e) {
        fail(e);
      }
      sendNext(this);
    }
  }
}
