package io.weir.bench.redis;

import io.weir.bench.report.Latencies;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests at a fixed rate, answered or not, and counts each latency from the time the
 * request was meant to be sent.
 */
final class OpenLoop {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Candidate candidate;
  private final Latencies latencies = new Latencies();
  private final LongAdder granted = new LongAdder();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private long watchedFrom;

  private OpenLoop(Candidate candidate) {
    this.candidate = candidate;
  }

  /** Watches what was to be sent after the warm-up, until the last answer to it. */
  static Sample run(
      Server server,
      Candidate candidate,
      Callers callers,
      int perSecond,
      Duration warmup,
      Duration watched)
      throws InterruptedException {
    OpenLoop loop = new OpenLoop(candidate);
    long start = System.nanoTime();
    loop.watchedFrom = start + warmup.toNanos();
    long sent = loop.send(callers, perSecond, start, loop.watchedFrom);
    double cpu = server.cpuMicros();
    long commands = server.commands();
    sent += loop.send(callers, perSecond, loop.watchedFrom, loop.watchedFrom + watched.toNanos());
    loop.awaitAnswers(sent);
    double seconds = (System.nanoTime() - loop.watchedFrom) / 1e9;
    cpu = server.cpuMicros() - cpu;
    return new Sample(
        seconds, loop.latencies, loop.granted.sum(), cpu, server.commands() - commands);
  }

  private long send(Callers callers, int perSecond, long from, long to) {
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
      ask(caller, due);
    }
    return sent;
  }

  private void ask(String caller, long due) {
    candidate.ask(caller).whenComplete((answer, cause) -> answered(due, answer, cause));
  }

  private void answered(long due, @Nullable Object answer, @Nullable Throwable cause) {
    try {
      if (answer == null) {
        failure.compareAndSet(null, cause == null ? new IllegalStateException() : cause);
      } else if (due - watchedFrom >= 0) {
        if (candidate.allowed(answer)) {
          granted.increment();
        }
        latencies.add(System.nanoTime() - due);
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
    answered.incrementAndGet();
  }

  private void awaitAnswers(long sent) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (answered.get() < sent) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(sent - answered.get() + " requests were never answered");
      }
      Thread.sleep(1);
    }
    Throwable first = failure.get();
    if (first != null) {
      throw new IllegalStateException("a request failed: " + first, first);
    }
  }
}
