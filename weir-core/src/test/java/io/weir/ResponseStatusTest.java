package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.store.MemoryStore;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Rules that count by the status of the response: {@code charge-when} and {@code refund-when}. */
class ResponseStatusTest {
  private static final Request REQUEST = Request.of("user", "ann");

  private static RuleBuilder rule(String id, int permits) {
    return Rule.named(id).per("user").algorithm("fixed-window").limit(permits + "/day");
  }

  @Test
  void chargeWhen_countsOnlyResponsesWithTheseStatuses() {
    Limiter limiter = Weir.inMemory(rule("login", 2).chargeWhen("401", "403", "5xx").build());
    for (int status : new int[] {200, 302, 404, 204, 400, Limiter.NO_RESPONSE, 700}) {
      assertThat(respond(limiter, status).remaining()).isEqualTo(2);
    }
    assertThat(respond(limiter, 401).remaining()).isEqualTo(2);
    assertThat(respond(limiter, 503).remaining()).isEqualTo(1);
    Decision refused = respond(limiter, 401);
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.retryAfter()).isPositive();
    assertThat(limiter.peek(REQUEST).join().remaining()).isZero();
  }

  @Test
  void refundWhen_returnsThePermitsOfTheseResponses() {
    Limiter limiter = Weir.inMemory(rule("api", 3).refundWhen("5xx").build());
    respond(limiter, 500);
    respond(limiter, 599);
    assertThat(respond(limiter, 200).remaining()).isEqualTo(2);
    assertThat(respond(limiter, 404).remaining()).isEqualTo(1);
    assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(1);
  }

  @Test
  void refusedRequest_isNotCountedByItsOwnRefusal() {
    Limiter limiter =
        Weir.inMemory(rule("all", 1).build(), rule("failed", 5).chargeWhen("4xx").build());
    respond(limiter, 200);
    for (int i = 0; i < 3; i++) {
      assertThat(respond(limiter, 429).rule()).contains("all");
    }
    assertThat(remaining(limiter, "failed")).isEqualTo(5);
  }

  @Test
  void otherRulesOfTheRequest_areChargedOnceAndNeverRefunded() {
    Limiter limiter =
        Weir.inMemory(
            rule("all", 9).build(),
            rule("failed", 5).chargeWhen("500").build(),
            rule("served", 7).refundWhen("500").build());
    respond(limiter, 500);
    assertThat(remaining(limiter, "all")).isEqualTo(8);
    assertThat(remaining(limiter, "failed")).isEqualTo(4);
    assertThat(remaining(limiter, "served")).isEqualTo(7);
    respond(limiter, 200);
    assertThat(remaining(limiter, "all")).isEqualTo(7);
    assertThat(remaining(limiter, "failed")).isEqualTo(4);
    assertThat(remaining(limiter, "served")).isEqualTo(6);
  }

  @Test
  void shadowRule_countsResponsesButNeverRefuses() {
    Limiter limiter = Weir.inMemory(rule("login", 1).chargeWhen("401").shadow(true).build());
    respond(limiter, 401);
    Decision second = respond(limiter, 401);
    assertThat(second.allowed()).isTrue();
    assertThat(second.shadowRefused()).isTrue();
  }

  @Test
  void ruleChangedMeanwhile_isChargedOnTheCountersOfTheNewRule() {
    LiveRules rules = new LiveRules(List.of(rule("r", 5).chargeWhen("401").build()));
    Limiter limiter = Weir.inMemory(rules);
    Decision before = limiter.decideNow(REQUEST);
    rules.replace(List.of(rule("r", 9).chargeWhen("401").build()));
    limiter.complete(before, 401).join();
    assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(8);
  }

  @Test
  void reservation_doesNotChargeRulesThatCountByResponse() {
    Limiter limiter = Weir.inMemory(rule("login", 5).chargeWhen("401").build());
    Reservation reservation = limiter.reserve(REQUEST, Duration.ofMinutes(1)).join();
    reservation.commit(3).join();
    assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(5);
    limiter.complete(reservation.decision(), 401).join();
    assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(4);
  }

  /** All requests fail; each is decided before, and completed after, those in flight with it. */
  @Test
  void concurrentFailures_exceedTheLimitByLessThanTheNumberInFlight() throws Exception {
    int limit = 20;
    int inFlight = 8;
    Clock frozen = () -> 1_000_000;
    Limiter limiter =
        Weir.limiter(RuleSet.of(rule("login", limit).chargeWhen("401").build()))
            .store(new MemoryStore(frozen))
            .clock(frozen)
            .build();
    AtomicInteger admitted = new AtomicInteger();
    CyclicBarrier allDecided = new CyclicBarrier(inFlight);
    ExecutorService callers = Executors.newFixedThreadPool(inFlight);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < inFlight; i++) {
        done.add(
            callers.submit(
                () -> {
                  for (int round = 0; round < limit; round++) {
                    Decision decision = limiter.decideNow(REQUEST);
                    admitted.addAndGet(decision.allowed() ? 1 : 0);
                    allDecided.await();
                    limiter.complete(decision, 401).join();
                    allDecided.await();
                  }
                  return null;
                }));
      }
      for (Future<?> one : done) {
        one.get();
      }
    } finally {
      callers.shutdownNow();
    }
    // 20 = 2 * 8 + 4: the third round is admitted as a whole, since 4 are left when it begins
    assertThat(admitted.get()).isEqualTo(24).isLessThan(limit + inFlight);
    assertThat(limiter.decideNow(REQUEST).allowed()).isFalse();
  }

  /** Decides a request and completes it with this status. */
  private static Decision respond(Limiter limiter, int status) {
    Decision decision = limiter.decideNow(REQUEST);
    assertThat(limiter.complete(decision, status).join()).isTrue();
    return decision;
  }

  private static long remaining(Limiter limiter, String rule) {
    return limiter.peek(REQUEST).join().rules().stream()
        .filter(outcome -> outcome.rule().equals(rule))
        .mapToLong(Decision.RuleOutcome::remaining)
        .findFirst()
        .orElseThrow();
  }
}
