package io.weir.server.refusals;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.background.BackgroundTask;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes a line of JSON for every rule that refuses a request, shadow rules included: the first so
 * many of each rule in a second. The rest is counted and stated in one line a second, so that what
 * is written and what is stated as dropped add up to all refusals.
 *
 * <p>Deciding threads never wait for it: a thread of its own writes, and what it cannot write is
 * dropped and stated. Callers are named by a {@linkplain CallerHash keyed hash}, endpoints shown
 * {@linkplain EndpointRedactor by their words}; no other value of a request is written.
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
   * @param out where to; the log closes it
   * @param perSecond how many refusals of each rule to write in a second
   * @param salt see {@link #open}
   */
  RefusalLog(LineWriter out, int perSecond, Optional<String> salt, Clock clock) {
    if (perSecond < 0 || perSecond > RefusalSampler.MAX_PER_SECOND) {
      throw new IllegalArgumentException(
          perSecond
              + " refusals a second cannot be; write 0 to "
              + RefusalSampler.MAX_PER_SECOND
              + ", such as 10");
    }
    this.out = out;
    this.maxPerSecond = perSecond;
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
   * A log at {@code stdout} or {@code file:PATH}, to which it appends.
   *
   * @param perSecond how many refusals of each rule to write in a second; 0: only their number
   * @param salt the secret callers' hashes depend on, the same where lines of several nodes or runs
   *     shall belong together; none: one that nobody knows, new at each start
   * @throws IllegalArgumentException if that cannot be, saying what to write instead
   */
  public static RefusalLog open(String where, int perSecond, Optional<String> salt) {
    return new RefusalLog(LineWriter.open(where), perSecond, salt, Clock.system());
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    if (decision.allowed() && !decision.shadowRefused()) {
      return;
    }
    long now = clock.micros();
    decision.forEachRule(
        (limit, outcome) -> {
          if (!outcome.admitted()) {
            enqueue(now, request, limit, outcome, decision.revision());
          }
        });
  }

  private void enqueue(
      long now, Request request, Limit limit, ClaimOutcome outcome, long revision) {
    RefusalSampler sample = samplers.get(limit.rule().id());
    if (sample == null) {
      sample = samplers.computeIfAbsent(limit.rule().id(), RefusalSampler::new);
    }
    if (!sample.tryAcquire(now / MICROS_PER_SECOND, maxPerSecond)
        || !queue.offer(new RefusalLogEntry(sample, now, request, limit, outcome, revision))) {
      sample.countDropped();
    }
  }

  /** Of how many rules it knows refusals. */
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

  /** Not those that come meanwhile, or others would never be stated. */
  private void drainQueue() {
    for (int left = queue.size(); left > 0; left--) {
      RefusalLogEntry next = queue.poll();
      if (next != null) {
        write(next);
      }
    }
  }

  /** States what was dropped, and forgets rules that have long refused nobody. */
  private void reportDropped(long now) {
    removed.forEach(sample -> reportDropped(sample, now));
    removed.clear();
    samplers.values().forEach(sample -> reportDropped(sample, now));
    // a thread may have found it just before, so it is asked once more
    samplers
        .values()
        .removeIf(sample -> sample.isIdle(now / MICROS_PER_SECOND) && removed.add(sample));
  }

  private void reportDropped(RefusalSampler sample, long now) {
    long count = sample.unreportedDrops();
    if (count > 0 && out.write(RefusalLogEntry.droppedJson(now, sample.rule, count))) {
      sample.markReported(count);
    }
  }

  private void write(RefusalLogEntry refusal) {
    boolean written = false;
    try {
      written = out.write(refusal.toJson(hash));
    } finally {
      if (!written) {
        refusal.sampler().countDropped();
      }
    }
  }

  /** Writes what waits, states what was dropped, and ends. */
  @Override
  public void close() {
    writer.close(CLOSE_TIMEOUT);
    out.close();
  }
}
