package io.weir.internal.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.LimitOverride;
import io.weir.rule.LiveRules;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleException;
import io.weir.rule.RuleSet;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Tests of the limits that a region enforces for rules with a divided budget. */
class RegionalRulesTest {
  private static final Rule PLAIN = Rule.named("plain").limit("10/minute").build();
  private static final Rule DIVIDED = divided("api").build();

  private static RuleBuilder divided(String id) {
    return Rule.named(id).limit("100/minute").regions(Map.of("eu", 50, "us", 30));
  }

  @Test
  void region_enforcesItsShare() {
    assertThat(admitted(new RegionalRules(RuleSet.of(DIVIDED), "eu"), 200)).isEqualTo(50);
    assertThat(admitted(new RegionalRules(RuleSet.of(DIVIDED), "us"), 200)).isEqualTo(30);
    assertThat(admitted(new RegionalRules(RuleSet.of(DIVIDED), "ap"), 200))
        .as("a region that is not configured has the unassigned share")
        .isEqualTo(20);
  }

  @Test
  void overridesBurstsAndRequestLimits_areDividedToo() {
    Rule rule =
        divided("api")
            .burst(40)
            .onStoreFailure(StoreFailureFallback.local(10))
            .overrides(
                LimitOverride.of(Selector.of("user", "acme"), "6000/minute"),
                LimitOverride.of(Selector.of("user", "out"), "0/day"))
            .build();
    Rule regional = new RegionalRules(RuleSet.of(rule), "eu").current().rules().get(0);
    assertThat(CompiledRule.of(regional).limits().get(0).capacity()).isEqualTo(20);
    assertThat(CompiledRule.of(regional).limits().get(0).parameters().permits()).isEqualTo(50);
    assertThat(CompiledRule.of(regional).limits().get(0).configuredParameters().burst())
        .isEqualTo(40);
    assertThat(CompiledRule.of(regional).limits().get(0).localFallback())
        .as("the local fallback")
        .satisfies(alone -> assertThat(alone.capacity()).isEqualTo(2));
    assertThat(CompiledRule.of(regional).allLimits().get(1).capacity()).isEqualTo(3000);
    assertThat(CompiledRule.of(regional).allLimits().get(2).capacity()).isZero();
    assertThat(CompiledRule.of(regional).limit(Rate.parse("7/second")).capacity()).isEqualTo(3);
    assertThat(regional.rates()).as("the configured rates are unchanged").isEqualTo(rule.rates());
  }

  @Test
  void anyShare_isAtLeastOnePermitAndExact() {
    Rule one = divided("one").limit("1/day").build();
    assertThat(CompiledRule.of(one.withShare(1)).limits().get(0).capacity()).isEqualTo(1);
    Rule year = divided("year").limit("1000000000/365d").build();
    for (int share = 1; share < 1000; share++) {
      long most = CompiledRule.of(year.withShare(share)).limits().get(0).parameters().permits();
      assertThat(most).isBetween(share * 900_000L, share * 1_000_000L);
    }
    assertThatThrownBy(() -> divided("odd").limit("1000000007/1000000007us").build())
        .isInstanceOf(RuleException.class)
        .hasMessageContaining("regions");
  }

  @Test
  void smallShareOfLargeBucket_keepsItsUnit() {
    Rule huge = Rule.named("huge").limit("5000000000/day").regions(Map.of("eu", 1)).build();
    assertThat(CompiledRule.of(huge.withShare(10)).limits().get(0).parameters().unitsPerPermit())
        .isEqualTo(CompiledRule.of(huge).limits().get(0).parameters().unitsPerPermit());
  }

  @Test
  void unchangedRules_stayTheSameObject() {
    LiveRules configured = new LiveRules(List.of(PLAIN, DIVIDED, divided("other").build()));
    RegionalRules rules = new RegionalRules(configured, "eu");
    RuleSet before = rules.current();
    assertThat(rules.current()).isSameAs(before);
    assertThat(before.rule("plain")).isSameAs(PLAIN);
    rules.assignShare(RegionalBudget.of(DIVIDED), 500);
    assertThat(rules.current()).as("the same share").isSameAs(before);

    rules.assignShare(RegionalBudget.of(DIVIDED), 700);
    RuleSet after = rules.current();
    assertThat(after.revision()).isEqualTo(before.revision());
    assertThat(after.rule("plain")).isSameAs(PLAIN);
    assertThat(after.rule("other")).isSameAs(before.rule("other"));
    assertThat(capacity(after)).isEqualTo(70);

    configured.replace(List.of(PLAIN, DIVIDED));
    assertThat(rules.current().revision()).isEqualTo(2);
    assertThat(rules.current().rule("api")).as("keeps its share").isSameAs(after.rule("api"));
    assertThat(rules.shares()).isEqualTo(Map.of("api", 700));
  }

  @Test
  void changedShare_appliesToTheNextDecisionOnTheSameCounter() {
    RegionalRules rules = new RegionalRules(RuleSet.of(DIVIDED), "eu");
    Limiter limiter = Weir.limiter(rules).store(new MemoryStore(() -> 60_000_000)).build();
    assertThat(admitted(limiter, 200)).isEqualTo(50);
    rules.assignShare(RegionalBudget.of(DIVIDED), 800);
    assertThat(admitted(limiter, 200)).isEqualTo(30);
    rules.assignShare(RegionalBudget.of(DIVIDED), 100);
    assertThat(admitted(limiter, 200)).isZero();
  }

  @Test
  void regionsEdit_resetsTheShareAndLimitEditKeepsIt() {
    LiveRules configured = new LiveRules(List.of(DIVIDED));
    RegionalRules rules = new RegionalRules(configured, "eu");
    rules.assignShare(RegionalBudget.of(DIVIDED), 700);
    configured.replace(List.of(DIVIDED.edit().limit("200/minute").build()));
    assertThat(capacity(rules.current())).isEqualTo(140);
    configured.replace(List.of(DIVIDED.edit().regions(Map.of("eu", 40, "us", 60)).build()));
    assertThat(rules.shares()).isEqualTo(Map.of("api", 400));
  }

  @Test
  void zeroShareOrUnknownRegion_isLoggedOnce() {
    Rule all = divided("all").regions(Map.of("eu", 50, "us", 50)).build();
    try (CapturedWarnings warnings = new CapturedWarnings()) {
      RegionalRules withoutShare = new RegionalRules(new LiveRules(List.of(all)), "mars");
      assertThat(admitted(withoutShare, 10)).isZero();
      withoutShare.assignShare(RegionalBudget.of(DIVIDED), 5);
      assertThat(warnings.lines).singleElement().asString().contains("all", "mars", "refused");
      warnings.lines.clear();

      LiveRules configured = new LiveRules(List.of(all));
      RegionalRules withoutRegion = new RegionalRules(configured, "");
      assertThat(admitted(withoutRegion, 200)).isEqualTo(100);
      assertThat(withoutRegion.current()).isSameAs(configured.current());
      configured.replace(List.of(all, PLAIN));
      assertThat(withoutRegion.current()).isSameAs(configured.current());
      assertThat(warnings.lines).singleElement().asString().contains("all", "--region");
    }
  }

  /** Returns the capacity of the rule named api. */
  private static long capacity(RuleSet rules) {
    return rules.rules().stream()
        .filter(rule -> rule.id().equals("api"))
        .mapToLong(rule -> CompiledRule.of(rule).limits().get(0).capacity())
        .sum();
  }

  private static int admitted(RegionalRules rules, int requests) {
    return admitted(Weir.limiter(rules).store(new MemoryStore(() -> 60_000_000)).build(), requests);
  }

  private static int admitted(Limiter limiter, int requests) {
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += limiter.decideNow(Request.of("user", "x")).allowed() ? 1 : 0;
    }
    return admitted;
  }

  /** Captures the log lines of {@link RegionalRules}. */
  private static final class CapturedWarnings extends Handler implements AutoCloseable {
    final List<String> lines = new ArrayList<>();
    private final Logger logger = Logger.getLogger(RegionalRules.class.getName());

    CapturedWarnings() {
      logger.setUseParentHandlers(false);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(java.text.MessageFormat.format(line.getMessage(), line.getParameters()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }
}
