package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleException;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that allow or block, and requests without an attribute that a rule counts per. */
class AllowAndBlockRulesTest {
  private static final Rule LIMIT = Rule.named("limit").per("user").limit("1/hour").build();

  private static RuleBuilder rule(RuleAction action) {
    return Rule.named(action.name().toLowerCase(java.util.Locale.ROOT)).action(action);
  }

  private static List<String> ids(Decision decision) {
    return decision.rules().stream().map(Decision.RuleOutcome::rule).toList();
  }

  @Test
  void allow_exemptsFromLimitsAndBlocksWhateverTheOrder() {
    Rule allow = rule(RuleAction.ALLOW).match("endpoint", "GET /health").build();
    Rule block = rule(RuleAction.BLOCK).match("user", "anna").build();
    for (List<Rule> rules : List.of(List.of(allow, block, LIMIT), List.of(LIMIT, block, allow))) {
      Limiter limiter = Weir.inMemory(rules.toArray(new Rule[0]));
      Request health = Request.of("user", "anna", "endpoint", "GET /health");
      for (int i = 0; i < 3; i++) {
        Decision exempt = limiter.decideNow(health);
        assertThat(exempt.allowed()).isTrue();
        assertThat(exempt.rule()).as("no limit to report").isEmpty();
        assertThat(ids(exempt)).containsExactly("allow");
      }
      Request bob = Request.of("user", "bob", "endpoint", "GET /health");
      assertThat(limiter.decideNow(bob).allowed()).isTrue();
      assertThat(limiter.decideNow(Request.of("user", "bob")).remaining())
          .as("exempt requests charge nothing")
          .isZero();
      assertThat(limiter.decideNow(Request.of("user", "bob")).allowed()).isFalse();
    }
  }

  @Test
  void block_refusesWithoutChargingAnything() {
    Rule block = rule(RuleAction.BLOCK).match("endpoint", "POST /admin").build();
    Limiter limiter = Weir.inMemory(LIMIT, block);
    Decision refused = limiter.decideNow(Request.of("user", "anna", "endpoint", "POST /admin"));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.blocked()).isTrue();
    assertThat(refused.costExceedsLimit()).isFalse();
    assertThat(refused.refusalReason()).contains(RefusalReason.BLOCKED);
    assertThat(refused.rule()).contains("block");
    assertThat(refused.retryAfter()).isEqualTo(Duration.ZERO);
    assertThat(refused).hasToString("refused by block, blocked");
    assertThat(limiter.decideNow(Request.of("user", "anna")).allowed()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = RuleAction.class,
      names = {"ALLOW", "BLOCK"})
  void shadowRule_isReportedButNotEnforced(RuleAction action) {
    Limiter limiter = Weir.inMemory(rule(action).shadow(true).build(), LIMIT);
    Request anna = Request.of("user", "anna");
    Decision first = limiter.decideNow(anna);
    assertThat(first.allowed()).isTrue();
    assertThat(first.shadowRefused()).isEqualTo(action == RuleAction.BLOCK);
    assertThat(ids(first))
        .containsExactly(action.name().toLowerCase(java.util.Locale.ROOT), "limit");
    assertThat(limiter.decideNow(anna).rule()).as("the limit still counts").contains("limit");
    assertThat(limiter.decideNow(anna).allowed()).isFalse();
    Request own = Request.of("address", "x").limit(Rate.parse("1/hour"));
    assertThat(limiter.decideNow(own).allowed()).isTrue();
    assertThat(limiter.decideNow(own).allowed()).as("a limit of the request counts").isFalse();
  }

  @Test
  void batchWithBlockedRequest_chargesNothing() {
    Limiter limiter = Weir.inMemory(rule(RuleAction.BLOCK).match("user", "eve").build(), LIMIT);
    List<Request> both = List.of(Request.of("user", "anna"), Request.of("user", "eve"));
    List<Decision> decisions = limiter.executeAll(both, StoreOperation.TAKE).join();
    assertThat(decisions.get(1).blocked()).isTrue();
    assertThat(limiter.decideNow(Request.of("user", "anna")).allowed()).isTrue();
  }

  @Test
  void reservationOfExemptRequest_isCommitted() {
    Limiter limiter = Weir.inMemory(rule(RuleAction.ALLOW).build(), LIMIT);
    Reservation held = limiter.reserve(Request.of("user", "anna"), Duration.ofMinutes(1)).join();
    assertThat(held.commit(5).join()).isTrue();
    assertThat(limiter.reset(Request.of("user", "anna")).join().rules())
        .as("counters of limits only")
        .extracting(Decision.RuleOutcome::rule)
        .containsExactly("limit");
  }

  @Test
  void fieldThatCounts_isRejected() {
    assertThatThrownBy(() -> rule(RuleAction.BLOCK).limit("1/hour").build())
        .isInstanceOf(RuleException.class)
        .hasMessageContaining("limit: has no effect with action: block");
    assertThatThrownBy(() -> rule(RuleAction.ALLOW).per("user").build())
        .hasMessageContaining("per: has no effect with action: allow");
    assertThatThrownBy(() -> rule(RuleAction.ALLOW).missing(MissingAttributePolicy.SKIP).build())
        .hasMessageContaining("missing: has no effect");
    assertThatThrownBy(() -> rule(RuleAction.BLOCK).durable(true).build())
        .hasMessageContaining("durable: has no effect");
  }

  @Test
  void missingAttribute_isCountedByAddressByDefault() {
    Limiter limiter = Weir.inMemory(LIMIT);
    Request anonymous = Request.of("ip", "10.0.0.1");
    assertThat(limiter.decideNow(anonymous).allowed()).isTrue();
    assertThat(limiter.decideNow(anonymous).allowed()).isFalse();
    assertThat(limiter.decideNow(Request.of("ip", "10.0.0.2")).allowed()).isTrue();
    assertThat(limiter.reset(anonymous).join().rules()).hasSize(1);
    assertThat(limiter.decideNow(anonymous).allowed()).as("reset").isTrue();
    assertThat(limiter.decideNow(Request.of("session", "x")).rules())
        .as("no address is known")
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "2001:db8::/64", ""})
  void addressOfAnonymousCaller_neverSharesCounterWithUserOfThatName(String address) {
    Rule rule = Rule.named("pair").per("user", "tenant").limit("1/hour").build();
    Limiter limiter = Weir.inMemory(rule);
    for (Request request :
        List.of(
            Request.of("user", address, "tenant", "t", "ip", "192.0.2.7"),
            Request.of("ip", address, "tenant", "t"),
            Request.of("ip", address, "user", "t"),
            Request.of("ip", address),
            Request.of("user", address, "tenant", address))) {
      assertThat(limiter.decideNow(request).allowed()).as(request.toString()).isTrue();
      assertThat(limiter.decideNow(request).allowed()).as(request.toString()).isFalse();
    }
  }

  @Test
  void requestWithoutFallbackAddress_isSkipped() {
    Request part = Request.of("ip", "10.0.0.1").withoutFallbackAddress();
    assertThat(Weir.inMemory(LIMIT).decideNow(part.cost(2)).rules()).isEmpty();
  }

  @Test
  void missingSkip_doesNotApply() {
    Rule skip = LIMIT.edit().missing(MissingAttributePolicy.SKIP).build();
    Decision decision = Weir.inMemory(skip).decideNow(Request.of("ip", "10.0.0.1"));
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.rules()).isEmpty();
  }

  @Test
  void missingRefuse_refusesAndChargesNothing() {
    Rule refuse =
        Rule.named("named")
            .per("user")
            .limit("1/hour")
            .missing(MissingAttributePolicy.REFUSE)
            .build();
    Rule all = Rule.named("all").limit("1/hour").build();
    Limiter limiter = Weir.inMemory(all, refuse);
    for (Request anonymous : List.of(Request.of("ip", "10.0.0.1"), Request.of())) {
      Decision decision = limiter.decideNow(anonymous);
      assertThat(decision.refusalReason()).contains(RefusalReason.MISSING_ATTRIBUTE);
      assertThat(decision.blocked()).isFalse();
      assertThat(decision.rule()).contains("named");
    }
    assertThat(limiter.decideNow(Request.of("user", "anna")).allowed()).isTrue();
    Limiter shadow = Weir.inMemory(refuse.edit().shadow(true).build());
    assertThat(shadow.decideNow(Request.of()).shadowRefused()).isTrue();
    assertThat(shadow.decideNow(Request.of()).allowed()).isTrue();
  }
}
