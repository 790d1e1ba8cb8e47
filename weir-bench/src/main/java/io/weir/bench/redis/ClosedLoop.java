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
 * Keeps a number of requests in flight: each answer starts the next request, on the thread that
 * brought it.
 *
 * <p>An answer that is there at once cannot do so inside the call that gave it; its next request
 * waits for that call to return. After a long run of such answers the loop's own threads go on, or
 * else the candidate's thread would never come to read from its connection again. There is one for
 * each core: who needs no server has them to itself.
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

  /** Asks for each of these callers, so many at a time, and returns when all are answered. */
  static void runAll(LimiterCandidate candidate, int inFlight, CallerSequence callers) {
    try (ClosedLoop loop = start(candidate, inFlight, callers)) {
      loop.ended.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Adds the latencies of answers from now on; to none if null. */
  void recordInto(@Nullable LatencyHistogram latencies) {
    recording = latencies;
  }

  /** What it shows in the next while. */
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
    long yes = granted() - before;
    cpu = server.cpuMicros() - cpu;
    return new LoadSample(seconds, latencies, yes, cpu, server.commands() - commands);
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

  /** Sends the request and those that become due by it, unless this thread does so already. */
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

  /** What one thread has to send when the call it is in returns. */
  private static final class SendQueue {
    final Queue<InFlightRequest> due = new ArrayDeque<>();
    boolean sending;
  }

  /** One of those in flight, again and again. */
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
