package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests at a fixed rate, independent of answers, and measures each latency from the time
 * the request was due.
 */
final class OpenLoop {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

  private final LimiterCandidate candidate;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final LongAdder granted = new LongAdder();
  private final AtomicLong answeredCount = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private long measuredFromNanos;

  private OpenLoop(LimiterCandidate candidate) {
    this.candidate = candidate;
  }

  /** Measures the requests due after the warm-up, until their last answer. */
  static LoadSample run(
      MeasuredRedis server,
      LimiterCandidate candidate,
      CallerSequence callers,
      int perSecond,
      Duration warmup,
      Duration watched)
      throws InterruptedException {
    OpenLoop loop = new OpenLoop(candidate);
    long start = System.nanoTime();
    loop.measuredFromNanos = start + warmup.toNanos();
    long sent = loop.send(callers, perSecond, start, loop.measuredFromNanos);
    double cpu = server.cpuMicros();
    long commands = server.commands();
    sent +=
        loop.send(
            callers, perSecond, loop.measuredFromNanos, loop.measuredFromNanos + watched.toNanos());
    loop.awaitAnswers(sent);
    double seconds = (System.nanoTime() - loop.measuredFromNanos) / 1e9;
    cpu = server.cpuMicros() - cpu;
    return new LoadSample(
        seconds, loop.latencies, loop.granted.sum(), cpu, server.commands() - commands);
  }

  private long send(CallerSequence callers, int perSecond, long from, long to) {
    long sent = 0;
    double interval = 1e9 / perSecond;
    for (long due = from; due - to < 0; due = from + (long) (sent * interval)) {
      for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
        LockSupport.parkNanos(early);
      }
      String caller = callers.next();
      if (caller == null || failure.get() != null) {
        break;
      }
      sent++;
      sendRequest(caller, due);
    }
    return sent;
  }

  private void sendRequest(String caller, long due) {
    candidate.decide(caller).whenComplete((answer, cause) -> onAnswer(due, answer, cause));
  }

  private void onAnswer(long due, @Nullable Object answer, @Nullable Throwable cause) {
    try {
      if (answer == null) {
        failure.compareAndSet(null, cause == null ? new IllegalStateException() : cause);
      } else if (due - measuredFromNanos >= 0) {
        if (candidate.isAllowed(answer)) {
          granted.increment();
        }
        latencies.add(System.nanoTime() - due);
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
    answeredCount.incrementAndGet();
  }

  private void awaitAnswers(long sent) throws InterruptedException {
    long end = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
    while (answeredCount.get() < sent) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            sent - answeredCount.get() + " requests were never answered");
      }
      Thread.sleep(1);
    }
    Throwable first = failure.get();
    if (first != null) {
      throw new IllegalStateException("a request failed: " + first, first);
    }
  }
}
