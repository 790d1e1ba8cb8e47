package io.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A memory store that is full of exhausted counters still evaluates every known counter. */
@Tag("slow")
class MemoryStoreFloodTest {
  private static final Fingerprint FINGERPRINT = new Fingerprint(3, 4);
  private static final int CALLERS = 200;
  private static final long MEBIBYTE = 1 << 20;

  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);
  private final MemoryStore store = new MemoryStore(now::get, MEBIBYTE);

  /** Every algorithm alone, and all together, so that decisions have one claim or several. */
  static Stream<List<Algorithm>> mixes() {
    return Stream.concat(Algorithms.all().stream().map(List::of), Stream.of(Algorithms.all()));
  }

  @ParameterizedTest
  @MethodSource("mixes")
  void exhaustedCaller_staysRefusedDuringFloodOfExhaustedKeys(List<Algorithm> mix) {
    List<Rule> rules = rules(mix, 5);
    assertRefusedThroughFlood(rules, 5, 30_000);
  }

  @Test
  void exhaustedCallerWithLongLog_staysRefusedDuringFloodOfExhaustedKeys() {
    assertRefusedThroughFlood(rules(List.of(Algorithms.SLIDING_LOG), 60), 60, 3_000);
    assertThat(store.evicted()).as("exhausted counters are never evicted").isZero();
  }

  private void assertRefusedThroughFlood(List<Rule> rules, int permits, int keys) {
    for (int i = 0; i < CALLERS; i++) {
      take(rules, "victim " + i, permits);
    }
    for (int i = 0; i < keys; i++) {
      take(rules, "flood " + i, permits);
    }
    assertThat(store.rejectedForSpace()).as("the store is full").isPositive();
    assertThat(store.bytes()).isLessThanOrEqualTo(MEBIBYTE);
    for (int i = 0; i < CALLERS; i++) {
      ClaimOutcome[] outcomes =
          store.apply(claims(rules, "victim " + i), StoreOperation.TAKE).join();
      for (ClaimOutcome o : outcomes) {
        assertThat(o.admitted()).as("victim %d", i).isFalse();
        assertThat(o.degraded()).as("victim %d", i).isFalse();
        assertThat(o.retryAfter()).as("victim %d", i).isPositive();
      }
    }
  }

  @Test
  void refusalByKnownRule_needsNoSpaceForOtherRules() {
    Rule known = rules(List.of(Algorithms.SLIDING_LOG), 5).get(0);
    Rule unknown =
        Rule.named("unknown")
            .per("user")
            .limit("5/hour")
            .algorithm(Algorithms.SLIDING_LOG.name())
            .onStoreFailure(StoreFailureFallback.CLOSED)
            .build();
    for (int i = 0; i < CALLERS; i++) {
      take(List.of(known), "victim " + i, 5);
    }
    for (int i = 0; i < 30_000; i++) {
      take(List.of(known), "flood " + i, 5);
    }
    long turnedAway = store.rejectedForSpace();
    for (int i = 0; i < CALLERS; i++) {
      ClaimOutcome[] o =
          store.apply(claims(List.of(unknown, known), "victim " + i), StoreOperation.TAKE).join();
      assertThat(o[0].degraded()).as("nothing is written").isFalse();
      assertThat(o[0].remaining()).isEqualTo(5);
      assertThat(o[1].admitted()).isFalse();
    }
    assertThat(store.rejectedForSpace()).isEqualTo(turnedAway);
  }

  @Test
  void resetOfUnknownKey_needsNoSpace() {
    List<Rule> rules = rules(List.of(Algorithms.SLIDING_LOG), 5);
    for (int i = 0; i < 30_000; i++) {
      take(rules, "flood " + i, 5);
    }
    long turnedAway = store.rejectedForSpace();
    for (int i = 0; i < CALLERS; i++) {
      Claim all =
          Claim.of(
              CompiledRule.of(rules.get(0)).limits().get(0),
              FINGERPRINT.of("c" + i),
              Claim.MAX_COST);
      assertThat(store.apply(new Claim[] {all}, StoreOperation.REFUND).join()[0].degraded())
          .isFalse();
    }
    assertThat(store.rejectedForSpace()).isEqualTo(turnedAway);
  }

  @Test
  void longestAllowedLog_fitsSmallestStore() {
    List<Rule> rules = rules(List.of(Algorithms.SLIDING_LOG), 2_000);
    take(rules, "one", 2_000);
    assertThat(store.rejectedForSpace()).isZero();
    assertThat(store.apply(claims(rules, "one"), StoreOperation.TAKE).join()[0].admitted())
        .isFalse();
    assertThat(store.bytes()).isLessThanOrEqualTo(MEBIBYTE);
  }

  private void take(List<Rule> rules, String caller, int times) {
    for (int i = 0; i < times; i++) {
      now.incrementAndGet();
      var unused = store.apply(claims(rules, caller), StoreOperation.TAKE).join();
    }
  }

  private static Claim[] claims(List<Rule> rules, String caller) {
    return rules.stream()
        .map(rule -> Claim.of(CompiledRule.of(rule).limits().get(0), FINGERPRINT.of(caller), 1))
        .toArray(Claim[]::new);
  }

  private static List<Rule> rules(List<Algorithm> algorithms, int permits) {
    List<Rule> rules = new ArrayList<>();
    IntStream.range(0, algorithms.size())
        .forEach(
            i ->
                rules.add(
                    Rule.named("r" + i)
                        .per("user")
                        .limit(permits + "/day")
                        .algorithm(algorithms.get(i).name())
                        .build()));
    return rules;
  }
}
