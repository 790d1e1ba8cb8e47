package io.weir.server.refusals;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.background.BackgroundTask;
import io.weir.rule.Limit;
import io.weir.store.Clock;
import io.weir.store.Outcome;
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
 * {@linkplain Endpoint by their words}; no other value of a request is written.
 */
public final class RefusalLog implements DecisionListener, AutoCloseable {
  private static final int MOST_WAITING = 1000;
  private static final long NAP_MILLIS = 250;
  private static final Duration CLOSING = Duration.ofSeconds(5);
  private static final long SECOND = 1_000_000;

  private final LineWriter out;
  private final int perSecond;
  private final CallerHash hash;
  private final Clock clock;
  private final Map<String, Sample> samples = new ConcurrentHashMap<>();
  private final List<Sample> leaving = new ArrayList<>();
  private final BlockingQueue<Refusal> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final BackgroundTask writer;
  private long second;

  /**
   * @param out where to; the log closes it
   * @param perSecond how many refusals of each rule to write in a second
   * @param salt see {@link #open}
   */
  RefusalLog(LineWriter out, int perSecond, Optional<String> salt, Clock clock) {
    if (perSecond < 0 || perSecond > Sample.MOST) {
      throw new IllegalArgumentException(
          perSecond + " refusals a second cannot be; write 0 to " + Sample.MOST + ", such as 10");
    }
    this.out = out;
    this.perSecond = perSecond;
    this.clock = clock;
    hash = new CallerHash(salt);
    second = clock.micros() / SECOND;
    writer =
        BackgroundTask.named("refusal-log", clock::micros)
            .expected(Duration.ofSeconds(1))
            .atEnd(this::writeAll)
            .start(this::round);
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
    return new RefusalLog(LineWriter.at(where), perSecond, salt, Clock.system());
  }

  @Override
  public void decided(Request request, Decision decision) {
    if (decision.allowed() && !decision.shadowRefused()) {
      return;
    }
    long now = clock.micros();
    decision.forEachRule(
        (limit, outcome) -> {
          if (!outcome.fits()) {
            refused(now, request, limit, outcome, decision.revision());
          }
        });
  }

  private void refused(long now, Request request, Limit limit, Outcome outcome, long revision) {
    Sample sample = samples.get(limit.rule().id());
    if (sample == null) {
      sample = samples.computeIfAbsent(limit.rule().id(), Sample::new);
    }
    if (!sample.admits(now / SECOND, perSecond)
        || !waiting.offer(new Refusal(sample, now, request, limit, outcome, revision))) {
      sample.drop();
    }
  }

  /** Of how many rules it knows refusals. */
  int remembered() {
    return samples.size();
  }

  private void round() throws InterruptedException {
    Refusal next = waiting.poll(NAP_MILLIS, MILLISECONDS);
    if (next != null) {
      write(next);
      writeWaiting();
    }
    long now = clock.micros();
    if (now / SECOND != second) {
      second = now / SECOND;
      stateDropped(now);
    }
  }

  private void writeAll() {
    writeWaiting();
    stateDropped(clock.micros());
  }

  /** Not those that come meanwhile, or others would never be stated. */
  private void writeWaiting() {
    for (int left = waiting.size(); left > 0; left--) {
      Refusal next = waiting.poll();
      if (next != null) {
        write(next);
      }
    }
  }

  /** States what was dropped, and forgets rules that have long refused nobody. */
  private void stateDropped(long now) {
    leaving.forEach(sample -> stateDropped(sample, now));
    leaving.clear();
    samples.values().forEach(sample -> stateDropped(sample, now));
    // a thread may have found it just before, so it is asked once more
    samples.values().removeIf(sample -> sample.isIdle(now / SECOND) && leaving.add(sample));
  }

  private void stateDropped(Sample sample, long now) {
    long count = sample.unstated();
    if (count > 0 && out.write(Refusal.dropped(now, sample.rule, count))) {
      sample.stated(count);
    }
  }

  private void write(Refusal refusal) {
    boolean written = false;
    try {
      written = out.write(refusal.line(hash));
    } finally {
      if (!written) {
        refusal.sample().drop();
      }
    }
  }

  /** Writes what waits, states what was dropped, and ends. */
  @Override
  public void close() {
    writer.close(CLOSING);
    out.close();
  }
}
