package io.weir.server.refusals;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.internal.background.BackgroundTask;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.web.LineWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes a JSON line for every rule that refuses a request, shadow rules included, up to a maximum
 * per rule and second. The others are counted and reported in one line per second, so that written
 * and dropped refusals add up to all refusals.
 *
 * <p>Decisions never block: a background thread writes, and what it cannot write is reported as
 * dropped. Callers are logged as a {@linkplain CallerHash keyed hash} and endpoints are {@linkplain
 * EndpointRedactor redacted}; no other value of a request is written.
 */
public final class RefusalLog implements DecisionListener, AutoCloseable {
  private static final int QUEUE_CAPACITY = 1000;
  private static final long POLL_MILLIS = 250;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final LineWriter out;
  private final int maxPerSecond;
  private final CallerHash hash;
  private final Clock clock;
  private final Map<String, RefusalSampler> samplers = new ConcurrentHashMap<>();
  private final List<RefusalSampler> removed = new ArrayList<>();
  private final BlockingQueue<RefusalLogEntry> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final BackgroundTask writer;
  private long lastReportSecond;

  /**
   * @param out the target; closed with the log
   * @param maxPerSecond the maximum number of refusals written per rule and second
   * @param salt see {@link #open}
   */
  RefusalLog(LineWriter out, int maxPerSecond, Optional<String> salt, Clock clock) {
    if (maxPerSecond < 0 || maxPerSecond > RefusalSampler.MAX_PER_SECOND) {
      throw new IllegalArgumentException(
          "refusals per second must be 0 to "
              + RefusalSampler.MAX_PER_SECOND
              + " (was "
              + maxPerSecond
              + "), for example 10");
    }
    this.out = out;
    this.maxPerSecond = maxPerSecond;
    this.clock = clock;
    hash = new CallerHash(salt);
    lastReportSecond = clock.micros() / MICROS_PER_SECOND;
    writer =
        BackgroundTask.named("refusal-log", clock::micros)
            .maxInterval(Duration.ofSeconds(1))
            .onClose(this::flush)
            .start(this::writeRound);
  }

  /**
   * Opens a log to {@code stdout} or appending to {@code file:PATH}.
   *
   * @param maxPerSecond the maximum number of refusals written per rule and second; with 0 only
   *     their number is reported
   * @param salt the secret for caller hashes; equal on several nodes or runs, it makes their hashes
   *     comparable. If empty, a random salt is generated at each start
   * @throws IllegalArgumentException if an argument is invalid
   */
  public static RefusalLog open(String target, int maxPerSecond, Optional<String> salt) {
    return new RefusalLog(
        LineWriter.open("refusal log", target), maxPerSecond, salt, Clock.system());
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    if (decision.allowed() && !decision.shadowRefused()) {
      return;
    }
    long now = clock.micros();
    EvaluatedDecision.of(decision)
        .forEachRule(
            (limit, outcome) -> {
              if (!outcome.admitted()) {
                enqueue(now, request, limit, outcome, decision.revision());
              }
            });
  }

  private void enqueue(
      long now, Request request, Limit limit, ClaimOutcome outcome, long revision) {
    RefusalSampler sampler = samplers.get(limit.rule().id());
    if (sampler == null) {
      sampler = samplers.computeIfAbsent(limit.rule().id(), RefusalSampler::new);
    }
    if (!sampler.tryAcquire(now / MICROS_PER_SECOND, maxPerSecond)
        || !queue.offer(new RefusalLogEntry(sampler, now, request, limit, outcome, revision))) {
      sampler.countDropped();
    }
  }

  /** Returns the number of rules with recent refusals. */
  int trackedRules() {
    return samplers.size();
  }

  private void writeRound() throws InterruptedException {
    RefusalLogEntry next = queue.poll(POLL_MILLIS, MILLISECONDS);
    if (next != null) {
      write(next);
      drainQueue();
    }
    long now = clock.micros();
    if (now / MICROS_PER_SECOND != lastReportSecond) {
      lastReportSecond = now / MICROS_PER_SECOND;
      reportDropped(now);
    }
  }

  private void flush() {
    drainQueue();
    reportDropped(clock.micros());
  }

  /**
   * Writes the entries queued now; entries added meanwhile wait, so that drops are still reported.
   */
  private void drainQueue() {
    for (int remaining = queue.size(); remaining > 0; remaining--) {
      RefusalLogEntry next = queue.poll();
      if (next != null) {
        write(next);
      }
    }
  }

  /** Reports dropped refusals and removes rules without recent refusals. */
  private void reportDropped(long now) {
    removed.forEach(sampler -> reportDropped(sampler, now));
    removed.clear();
    samplers.values().forEach(sampler -> reportDropped(sampler, now));
    // another thread may still use a removed sampler, so it is reported once more in the next round
    samplers
        .values()
        .removeIf(sampler -> sampler.isIdle(now / MICROS_PER_SECOND) && removed.add(sampler));
  }

  private void reportDropped(RefusalSampler sampler, long now) {
    long count = sampler.unreportedDrops();
    if (count > 0 && out.write(RefusalLogEntry.droppedJson(now, sampler.rule, count))) {
      sampler.markReported(count);
    }
  }

  private void write(RefusalLogEntry entry) {
    boolean written = false;
    try {
      written = out.write(entry.toJson(hash));
    } finally {
      if (!written) {
        entry.sampler().countDropped();
      }
    }
  }

  /** Writes queued entries, reports dropped ones, and closes the target. */
  @Override
  public void close() {
    writer.close(CLOSE_TIMEOUT);
    out.close();
  }
}
