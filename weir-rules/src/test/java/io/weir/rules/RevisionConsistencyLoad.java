package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Makes decisions continuously while rules change, and checks that each decision uses exactly one
 * revision.
 *
 * <p>In every version all rules have the same burst, which is unique to the version: it reveals a
 * decision that mixes two versions, and a revision that is used for two versions.
 */
public final class RevisionConsistencyLoad implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int CHANGES_PER_SECOND = 200;
  private static final int CHANGES = 2 * CHANGES_PER_SECOND;
  private static final int MIN_REVISIONS = 10;

  /** A short rest after this many decisions leaves processor time for changing the rules. */
  private static final int DECISIONS_PER_REST = 50;

  private static final long REST_NANOS = 200_000;
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);
  private static final Clock CLOCK = Clock.system();

  private final Limiter limiter;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final List<Future<?>> deciders = new ArrayList<>();
  private final Map<Long, Long> burstsByRevision = new ConcurrentHashMap<>();
  private final AtomicLong decisionCount = new AtomicLong();
  private volatile boolean done;

  public RevisionConsistencyLoad(RuleSource rules) {
    limiter = Weir.inMemory(rules);
    for (int i = 0; i < THREADS; i++) {
      Request request = Request.of("user", "u" + i);
      deciders.add(threads.submit(() -> decideUntilDone(request)));
    }
    Await.until(MAX_WAIT, "decisions to begin", () -> decisionCount.get() > THREADS || anyFailed());
  }

  /** Returns the rules of a version. */
  public static List<String> rulesOfVersion(int number) {
    long size = burstOf(number);
    return List.of(
        "{\"id\":\"a\",\"per\":[\"user\"],\"limit\":\"1000/second\",\"burst\":" + size + "}",
        "{\"id\":\"b\",\"limit\":\"1000/second\",\"burst\":" + size + "}");
  }

  private static long burstOf(int version) {
    return version * 1_000_000L;
  }

  private boolean anyFailed() {
    return deciders.stream().anyMatch(Future::isDone);
  }

  private void decideUntilDone(Request request) {
    while (!done) {
      Decision d = limiter.decideNow(request);
      List<Decision.RuleOutcome> rules = d.rules();
      long size = rules.get(0).limit();
      assertThat(rules).as("rules of revision %d", d.revision()).hasSize(2);
      assertThat(rules.get(1).limit())
          .as("both rules of revision %d", d.revision())
          .isEqualTo(size);
      Long known = burstsByRevision.putIfAbsent(d.revision(), size);
      if (known != null) {
        assertThat(size).as("all decisions of revision %d", d.revision()).isEqualTo(known);
      }
      if (decisionCount.incrementAndGet() % DECISIONS_PER_REST == 0) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  /**
   * Changes the rules 400 times, at most 200 times per second.
   *
   * @param change applies the rules of a version
   */
  public static void changeRepeatedly(IntConsumer change) {
    long start = CLOCK.micros();
    for (int n = 1; n <= CHANGES; n++) {
      change.accept(n + 1);
      long due = start + n * 1_000_000L / CHANGES_PER_SECOND;
      LockSupport.parkNanos(1000 * Math.max(0, due - CLOCK.micros()));
    }
    System.out.printf("%d changes in %d ms: ", CHANGES, (CLOCK.micros() - start) / 1000);
  }

  /** Ends the decisions once one used the last version; fails unless they used enough versions. */
  public void finishAndCheck(String source) {
    long last = burstOf(CHANGES + 1);
    Await.until(
        MAX_WAIT,
        "a decision with the last version",
        () -> burstsByRevision.containsValue(last) || anyFailed());
    done = true;
    for (Future<?> one : deciders) {
      try {
        one.get();
      } catch (ExecutionException | InterruptedException e) {
        throw new AssertionError(e.getCause());
      }
    }
    System.out.printf(
        "%s, %d revisions in %d decisions%n", source, burstsByRevision.size(), decisionCount.get());
    assertThat(burstsByRevision).hasSizeGreaterThan(MIN_REVISIONS);
  }

  @Override
  public void close() {
    done = true;
    threads.shutdown();
  }
}
