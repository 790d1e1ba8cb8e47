package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.IdentityResolver;
import io.weir.http.RefusalResponse;
import io.weir.rule.RuleSource;
import java.util.function.Function;

/** Where doors bring their questions: what to decide when, and by which rules. */
final class RateLimitService {
  private final MergedRuleSource ruleSource;
  private final SpringRequestReader requestReader;
  private final Function<RuleSource, Limiter> limiterFactory;
  private final Limiter earlyLimiter;
  private final Limiter lateLimiter;

  /**
   * @param limiters makes a limiter over some of the rules
   */
  RateLimitService(
      MergedRuleSource plan, SpringRequestReader reader, Function<RuleSource, Limiter> limiters) {
    this.ruleSource = plan;
    this.requestReader = reader;
    this.limiterFactory = limiters;
    earlyLimiter = limiters.apply(() -> plan.stagedRules().beforeAuthentication().rules());
    lateLimiter = limiters.apply(() -> plan.stagedRules().afterAuthentication().rules());
  }

  /** When a door decides. */
  enum FilterStage {
    BEFORE_AUTHENTICATION,
    AFTER_AUTHENTICATION
  }

  StagedRuleSet.StageRules stageRules(FilterStage stage) {
    StagedRuleSet now = ruleSource.stagedRules();
    return stage == FilterStage.BEFORE_AUTHENTICATION
        ? now.beforeAuthentication()
        : now.afterAuthentication();
  }

  Limiter limiter(FilterStage stage) {
    return stage == FilterStage.BEFORE_AUTHENTICATION ? earlyLimiter : lateLimiter;
  }

  /** How many refunds wait for a store that is unavailable. */
  int pendingSettlements() {
    return earlyLimiter.pendingSettlements() + lateLimiter.pendingSettlements();
  }

  /** A limiter over rules of a door's own, which counts where all others do. */
  Limiter limiter(RuleSource rules) {
    return limiterFactory.apply(rules);
  }

  /**
   * @throws BadRequestException if it could be read in more than one way: answer 400
   */
  Request read(SpringRequest call, StagedRuleSet.StageRules part) {
    return read(call, ruleSource.stagedRules().identity(), part);
  }

  /** As above, as a door with rules of its own reads it. */
  Request read(SpringRequest call, IdentityResolver identity, StagedRuleSet.StageRules part) {
    return requestReader.read(call, identity, part);
  }

  /** What a refused caller is answered: in Spring always a problem (RFC 9457). */
  static RefusalResponse refusal(Decision decision) {
    return RefusalResponse.of(decision, RefusalResponse.PROBLEM_JSON);
  }
}
