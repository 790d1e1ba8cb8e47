package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.Identity;
import io.weir.http.Refusal;
import io.weir.rule.RuleSource;
import java.util.function.Function;

/** Where doors bring their questions: what to decide when, and by which rules. */
final class Desk {
  private final LivePlan plan;
  private final CallReader reader;
  private final Function<RuleSource, Limiter> limiters;
  private final Limiter early;
  private final Limiter late;

  /**
   * @param limiters makes a limiter over some of the rules
   */
  Desk(LivePlan plan, CallReader reader, Function<RuleSource, Limiter> limiters) {
    this.plan = plan;
    this.reader = reader;
    this.limiters = limiters;
    early = limiters.apply(() -> plan.plan().early().rules());
    late = limiters.apply(() -> plan.plan().late().rules());
  }

  /** When a door decides. */
  enum Stage {
    BEFORE_AUTHENTICATION,
    AFTER_AUTHENTICATION
  }

  Plan.Part part(Stage stage) {
    Plan now = plan.plan();
    return stage == Stage.BEFORE_AUTHENTICATION ? now.early() : now.late();
  }

  Limiter limiter(Stage stage) {
    return stage == Stage.BEFORE_AUTHENTICATION ? early : late;
  }

  /** How many refunds wait for a store that is unavailable. */
  int pendingSettlements() {
    return early.pendingSettlements() + late.pendingSettlements();
  }

  /** A limiter over rules of a door's own, which counts where all others do. */
  Limiter limiter(RuleSource rules) {
    return limiters.apply(rules);
  }

  /**
   * @throws BadRequestException if it could be read in more than one way: answer 400
   */
  Request read(SpringCall call, Plan.Part part) {
    return read(call, plan.plan().identity(), part);
  }

  /** As above, as a door with rules of its own reads it. */
  Request read(SpringCall call, Identity identity, Plan.Part part) {
    return reader.read(call, identity, part);
  }

  /** What a refused caller is answered: in Spring always a problem (RFC 9457). */
  static Refusal refusal(Decision decision) {
    return Refusal.of(decision, Refusal.PROBLEM_JSON);
  }
}
