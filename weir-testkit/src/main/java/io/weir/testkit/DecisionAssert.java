package io.weir.testkit;

import io.weir.Decision;
import java.time.Duration;
import org.assertj.core.api.AbstractAssert;

/** Assertions on a decision: {@code assertThat(limiter.decideNow(request)).isRefused()}. */
public final class DecisionAssert extends AbstractAssert<DecisionAssert, Decision> {

  private DecisionAssert(Decision actual) {
    super(actual, DecisionAssert.class);
  }

  /** Starts an assertion on a decision. */
  public static DecisionAssert assertThat(Decision actual) {
    return new DecisionAssert(actual);
  }

  public DecisionAssert isAllowed() {
    return check(actual.allowed(), "allowed");
  }

  /** The request is refused temporarily. */
  public DecisionAssert isRefused() {
    return check(!actual.allowed() && !actual.costExceedsLimit(), "refused");
  }

  /** The request is refused because its cost is above the limit. */
  public DecisionAssert neverFits() {
    return check(actual.costExceedsLimit(), "whose cost exceeds the limit");
  }

  public DecisionAssert isDegraded() {
    return check(actual.degraded(), "degraded");
  }

  public DecisionAssert isNotDegraded() {
    return check(!actual.degraded(), "not degraded");
  }

  /** The most restrictive rule has that id. */
  public DecisionAssert boundBy(String rule) {
    return check(actual.rule().filter(rule::equals).isPresent(), "bound by " + rule);
  }

  public DecisionAssert hasRemaining(long permits) {
    return check(actual.remaining() == permits, "with " + permits + " left");
  }

  /** The request is refused, with exactly that retry-after time. */
  public DecisionAssert retriesAfter(Duration wait) {
    return check(!actual.allowed() && actual.retryAfter().equals(wait), "refused for " + wait);
  }

  public DecisionAssert isDelayedBy(Duration delay) {
    return check(
        actual.allowed() && actual.delay().equals(delay),
        "allowed with a delay of " + delay + " (it is " + actual.delay() + ")");
  }

  public DecisionAssert wouldHaveBeenRefusedByShadow() {
    return check(actual.shadowRefused(), "refused in shadow");
  }

  private DecisionAssert check(boolean holds, String expected) {
    isNotNull();
    if (!holds) {
      failWithMessage("expected a decision %s, but it was: %s", expected, actual);
    }
    return this;
  }
}
