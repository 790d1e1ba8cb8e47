package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.LimitOverride;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.Selector;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Tests of operator actions on the counters of a caller (peek, refund, reset), for all rules or
 * one.
 */
class OperatorActionsTest {
  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);
  private final ClaimStore store = new MemoryStore(now::get);
  private final LiveRules rules =
      new LiveRules(
          List.of(
              rule("api").limit("10/minute").build(),
              rule("orders").match("endpoint", "GET /orders/**").limit("5/minute").build(),
              rule("trial").enabled(false).limit("3/minute").build()));
  private final Limiter limiter = Weir.limiter(rules).store(store).clock(now::get).build();
  private final Request order = Request.of("user", "x", "endpoint", "GET /orders/7");

  @Test
  void reset_clearsAllCountersOfTheCaller() {
    limiter.decideNow(order.cost(4));
    limiter.decideNow(Request.of("user", "y").cost(4));
    Decision reset = limiter.reset(order).join();
    assertThat(reset.allowed()).isTrue();
    assertThat(reset.degraded()).isFalse();
    assertThat(reset.rules()).extracting("remaining").containsExactly(10L, 5L);
    assertThat(limiter.decideNow(order.cost(5)).allowed()).isTrue();
    assertThat(limiter.peek(Request.of("user", "y")).join().remaining()).isEqualTo(6);
  }

  @Test
  void onlyRule_actsOnOneRuleWhateverItsOtherConditions() {
    limiter.decideNow(order.cost(4));
    Request caller = Request.of("user", "x");
    Limiter orders = only("orders");
    assertThat(orders.peek(caller).join().remaining()).isEqualTo(1);
    assertThat(orders.peek(caller).join().rule()).contains("orders");
    assertThat(orders.refund(caller.cost(2)).join().remaining()).isEqualTo(3);
    assertThat(orders.reset(caller).join().remaining()).isEqualTo(5);
    assertThat(limiter.peek(order).join().rules())
        .extracting("remaining")
        .as("the counter of the other rule is unchanged")
        .containsExactly(6L, 5L);
    assertThat(orders.peek(Request.of("device", "7")).join().rules())
        .as("there is no counter without the attributes to count per")
        .isEmpty();
  }

  @Test
  void disabledRule_canBeReset() {
    Request caller = Request.of("user", "x");
    only("trial").charge(caller.cost(3)).join();
    assertThat(only("trial").peek(caller).join().remaining()).isZero();
    assertThat(only("trial").reset(caller).join().remaining()).isEqualTo(3);
  }

  @Test
  void reset_clearsTheCountersOfEveryOverride() {
    rules.replace(
        List.of(
            rule("api")
                .limit("10/minute")
                .overrides(
                    LimitOverride.of(Selector.of("tier", "pro"), "50/hour"),
                    LimitOverride.of(Selector.of("user", "x"), "20/minute"))
                .build()));
    Request pro = Request.of("user", "x", "tier", "pro");
    assertThat(limiter.decideNow(pro.cost(50)).allowed()).isTrue();
    assertThat(limiter.decideNow(Request.of("user", "x").cost(20)).allowed()).isTrue();
    only("api").reset(Request.of("user", "x")).join();
    assertThat(limiter.peek(pro).join().remaining()).isEqualTo(50);
    assertThat(limiter.peek(Request.of("user", "x")).join().remaining()).isEqualTo(20);
  }

  @Test
  void unknownRule_isRejected() {
    assertThatThrownBy(() -> only("odrers"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'odrers' does not exist");
  }

  private Limiter only(String rule) {
    return Weir.limiter(rules.current().onlyRule(rule)).store(store).clock(now::get).build();
  }

  private static RuleBuilder rule(String id) {
    return Rule.named(id).per("user");
  }
}
