package io.weir.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.gateway.routing.LoadBalancer.Candidate;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadBalancerTest {
  private final FakeClock clock = new FakeClock();
  private final List<UpstreamHealth> health = new ArrayList<>();

  private LoadBalancer<String> balancer(BalancePolicy policy, int... weights) {
    List<Candidate<String>> candidates = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      health.add(new UpstreamHealth(clock));
      candidates.add(new Candidate<>("u" + i, "u" + i, weights[i], health.get(i)));
    }
    return new LoadBalancer<>(policy, candidates);
  }

  private static Map<String, Integer> choices(LoadBalancer<String> balancer, int count) {
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < count; i++) {
      counts.merge(balancer.choose("key" + i, null).connections(), 1, Integer::sum);
    }
    return counts;
  }

  @Test
  void roundRobin_followsTheWeightsSmoothly() {
    LoadBalancer<String> balancer = balancer(BalancePolicy.ROUND_ROBIN, 3, 1);
    StringBuilder turns = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      turns.append(balancer.choose(null, null).connections());
    }
    assertThat(turns.toString()).isEqualTo("u0u0u1u0u0u0u1u0");
  }

  @Test
  void leastRequests_comparesTheLoadByWeight() {
    LoadBalancer<String> balancer = balancer(BalancePolicy.LEAST_REQUESTS, 2, 1);
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 30; i++) {
      Candidate<String> chosen = balancer.choose(null, null);
      chosen.acquire();
      counts.merge(chosen.connections(), 1, Integer::sum);
    }
    assertThat(counts).isEqualTo(Map.of("u0", 20, "u1", 10));
  }

  @Test
  void hash_isBalancedAndMovesOnlyTheKeysOfALostUpstream() {
    LoadBalancer<String> balancer = balancer(BalancePolicy.HASH, 1, 1, 2);
    Map<String, Integer> counts = choices(balancer, 8_000);
    assertThat(counts.get("u0")).isBetween(1_700, 2_300);
    assertThat(counts.get("u1")).isBetween(1_700, 2_300);
    assertThat(counts.get("u2")).isBetween(3_600, 4_400);
    List<String> before = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      before.add(balancer.choose("key" + i, null).connections());
    }
    fail(health.get(0));
    for (int i = 0; i < 1000; i++) {
      String now = balancer.choose("key" + i, null).connections();
      assertThat(now).isNotEqualTo("u0");
      if (!before.get(i).equals("u0")) {
        assertThat(now).isEqualTo(before.get(i));
      }
    }
  }

  private static void fail(UpstreamHealth upstream) {
    for (int i = 0; i < UpstreamHealth.MAX_FAILURES; i++) {
      upstream.recordFailure();
    }
  }

  @Test
  void ejectedUpstream_isTriedAgainLaterAndLongerEachTime() {
    balancer(BalancePolicy.ROUND_ROBIN, 1, 1);
    UpstreamHealth first = health.get(0);
    fail(first);
    assertThat(first.isAvailable()).isFalse();
    clock.advance(Duration.ofSeconds(10));
    assertThat(first.isAvailable()).isTrue();
    first.recordFailure();
    assertThat(first.isAvailable()).as("one failure after an ejection").isFalse();
    clock.advance(Duration.ofSeconds(10));
    assertThat(first.isAvailable()).isFalse();
    clock.advance(Duration.ofSeconds(10));
    assertThat(first.isAvailable()).isTrue();
    first.recordSuccess();
    first.recordFailure();
    assertThat(first.isAvailable()).as("one failure after a success").isTrue();
  }

  @Test
  void allUpstreamsUnavailable_areAllTried() {
    LoadBalancer<String> balancer = balancer(BalancePolicy.ROUND_ROBIN, 1, 1);
    health.forEach(LoadBalancerTest::fail);
    assertThat(choices(balancer, 10)).isEqualTo(Map.of("u0", 5, "u1", 5));
  }

  @Test
  void twoFailedChecks_makeAnUpstreamUnavailableUntilOneSucceeds() {
    UpstreamHealth checked = new UpstreamHealth(clock);
    checked.recordCheck(false);
    assertThat(checked.isAvailable()).isTrue();
    checked.recordCheck(false);
    assertThat(checked.isAvailable()).isFalse();
    checked.recordCheck(true);
    assertThat(checked.isAvailable()).isTrue();
  }

  @Test
  void retryBudget_isAFifthOfTheRequests() {
    RetryBudget budget = new RetryBudget();
    int retries = 0;
    for (int i = 0; i < 1000; i++) {
      budget.countRequest();
      retries += budget.tryRetry() ? 1 : 0;
    }
    assertThat(retries).isBetween(205, 215);
  }
}
