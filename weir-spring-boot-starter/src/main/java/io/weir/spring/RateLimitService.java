package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.IdentityResolver;
import io.weir.http.RefusalResponse;
import io.weir.rule.RuleSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Reads requests and holds the limiters for the filters: which rules apply at which stage. */
final class RateLimitService {
  private static final Logger LOG = System.getLogger(RateLimitService.class.getName());

  private final RefusalCustomizer customizer;
  private final AtomicBoolean customizerFailed = new AtomicBoolean();
  private final MergedRuleSource ruleSource;
  private final SpringRequestReader requestReader;
  private final Function<RuleSource, Limiter> limiterFactory;
  private final Limiter earlyLimiter;
  private final Limiter lateLimiter;

  /**
   * @param limiters creates a limiter for a set of rules
   */
  RateLimitService(
      MergedRuleSource plan,
      SpringRequestReader reader,
      Function<RuleSource, Limiter> limiters,
      RefusalCustomizer customizer) {
    this.customizer = customizer;
    this.ruleSource = plan;
    this.requestReader = reader;
    this.limiterFactory = limiters;
    earlyLimiter = limiters.apply(() -> plan.stagedRules().beforeAuthentication().rules());
    lateLimiter = limiters.apply(() -> plan.stagedRules().afterAuthentication().rules());
  }

  /** When a filter decides. */
  enum FilterStage {
    BEFORE_AUTHENTICATION,
    AFTER_AUTHENTICATION
  }

  StagedRuleSet.StageRules stageRules(FilterStage stage) {
    StagedRuleSet staged = ruleSource.stagedRules();
    return stage == FilterStage.BEFORE_AUTHENTICATION
        ? staged.beforeAuthentication()
        : staged.afterAuthentication();
  }

  Limiter limiter(FilterStage stage) {
    return stage == FilterStage.BEFORE_AUTHENTICATION ? earlyLimiter : lateLimiter;
  }

  /** Returns how many refunds and settlements wait for an unavailable store. */
  int pendingSettlements() {
    return earlyLimiter.pendingSettlements() + lateLimiter.pendingSettlements();
  }

  /** Returns the slots of in-flight limits that requests hold, by rule id. */
  Map<String, Integer> heldSlots() {
    Map<String, Integer> held = new HashMap<>(earlyLimiter.heldSlots());
    lateLimiter.heldSlots().forEach((rule, slots) -> held.merge(rule, slots, Integer::sum));
    return held;
  }

  /** Returns a limiter for a filter's own rules; it counts in the shared store. */
  Limiter limiter(RuleSource rules) {
    return limiterFactory.apply(rules);
  }

  /**
   * @throws BadRequestException if the request is ambiguous; the response is 400
   */
  Request read(SpringRequest request, StagedRuleSet.StageRules rules) {
    return read(request, ruleSource.stagedRules().identity(), rules);
  }

  /** As above, for a filter with its own rules and identity resolver. */
  Request read(SpringRequest request, IdentityResolver identity, StagedRuleSet.StageRules rules) {
    return requestReader.read(request, identity, rules);
  }

  /** Returns the response to a refused request; in Spring by default a problem (RFC 9457). */
  RefusalResponse refusal(Decision decision) {
    RefusalResponse response = RefusalResponse.of(decision, RefusalResponse.PROBLEM_JSON);
    try {
      return customizer.customize(decision, response);
    } catch (RuntimeException e) {
      if (customizerFailed.compareAndSet(false, true)) {
        LOG.log(Level.WARNING, "a RefusalCustomizer failed; the default response is sent", e);
      }
      return response;
    }
  }
}
