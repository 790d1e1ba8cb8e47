package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import io.weir.testkit.redis.RedisProcess;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Three nodes on one Redis cross the edge of a month under load. The month of the rule begins a few
 * seconds after the test, by reset day and reset time, and Redis decides by its own clock.
 */
class CalendarEdgeUnderLoadTest {
  private static final int LIMIT = 500;
  private static final int NODES = 3;
  private static final int REQUESTS_AT_ONCE = 20;
  private static final int SECONDS_BEFORE = 3;
  private static final long MICROS_AFTER = 2_000_000;

  @Test
  void monthEdgeUnderLoad_admitsExactlyTheLimitOnEachSide() {
    try (RedisProcess redis = RedisProcess.start()) {
      List<RedisStore> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < NODES; i++) {
          nodes.add(
              openAndAwait(
                  RedisStore.at(redis.uri()).deadline(RedisStoreTestSupport.LONG_DEADLINE)));
        }
        crossEdge(nodes);
      } finally {
        nodes.forEach(RedisStore::close);
      }
    }
  }

  private static void crossEdge(List<RedisStore> nodes) {
    ZonedDateTime edge =
        Instant.ofEpochSecond(RedisLoadGenerator.nowMicros() / 1_000_000 + SECONDS_BEFORE)
            .atZone(ZoneOffset.UTC)
            .truncatedTo(ChronoUnit.SECONDS);
    long edgeMicros = edge.toEpochSecond() * 1_000_000;
    Rule rule =
        Rule.named("monthly")
            .limit(LIMIT + "/month")
            .resetDay(edge.getDayOfMonth())
            .calendar(settings -> settings.withResetAt(edge.toLocalTime()))
            .build();
    AtomicInteger before = new AtomicInteger();
    AtomicInteger after = new AtomicInteger();
    AtomicInteger refusedBefore = new AtomicInteger();
    AtomicInteger refusedAfter = new AtomicInteger();
    long last = 0;
    while (last < edgeMicros + MICROS_AFTER) {
      List<CompletableFuture<ClaimOutcome[]>> answers = new ArrayList<>();
      for (RedisStore node : nodes) {
        for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
          Claim claim =
              Claim.of(CompiledRule.of(rule).limits().get(0), node.fingerprint().of("everyone"), 1);
          answers.add(node.apply(new Claim[] {claim}, StoreOperation.TAKE));
        }
      }
      for (CompletableFuture<ClaimOutcome[]> answer : answers) {
        ClaimOutcome outcome = answer.join()[0];
        assertThat(outcome.degraded()).isFalse();
        last = Math.max(last, outcome.time());
        boolean isBefore = outcome.time() < edgeMicros;
        if (outcome.admitted()) {
          (isBefore ? before : after).incrementAndGet();
        } else {
          (isBefore ? refusedBefore : refusedAfter).incrementAndGet();
        }
      }
    }
    assertThat(before).hasValue(LIMIT);
    assertThat(after).hasValue(LIMIT);
    assertThat(refusedBefore.get()).isPositive();
    assertThat(refusedAfter.get()).isPositive();
  }
}
