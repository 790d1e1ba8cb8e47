package io.weir.http;

import io.weir.Decision;
import io.weir.algorithm.Terms;
import io.weir.rule.Limit;
import io.weir.store.Outcome;

/**
 * Limits as the structured fields of draft-ietf-httpapi-ratelimit-headers-10: one policy for each
 * limit, named by its rule, and by its unit of time too where the rule has several.
 */
final class Policy {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private Policy() {}

  /** The name of a limit, such as {@code orders}, or {@code orders/hour} if its rule has more. */
  static String name(Decision decision, int i) {
    String id = id(decision, i);
    if (!hasSeveral(decision, i)) {
      return id;
    }
    String rate = decision.claim(i).limit().rate().toString();
    return id + rate.substring(rate.indexOf('/'));
  }

  /** Limits of one rule stand beside each other. */
  private static boolean hasSeveral(Decision decision, int i) {
    return isOfSameRule(decision, i, i - 1) || isOfSameRule(decision, i, i + 1);
  }

  private static boolean isOfSameRule(Decision decision, int i, int k) {
    return k >= 0 && k < decision.size() && id(decision, k).equals(id(decision, i));
  }

  private static String id(Decision decision, int i) {
    return decision.claim(i).limit().rule().id();
  }

  /** What holds, such as {@code "orders";q=100;w=60}. */
  static void appendPolicy(StringBuilder out, Decision decision, int i) {
    Limit limit = decision.claim(i).limit();
    Terms terms = limit.terms();
    appendName(out, decision, i);
    out.append(";q=").append(terms.permits());
    if (terms.period() % MICROS_PER_SECOND == 0) {
      out.append(";w=").append(terms.period() / MICROS_PER_SECOND);
    }
    if (limit.most() != terms.permits()) {
      out.append(";weir-burst=").append(limit.most());
    }
  }

  /**
   * What is left, such as {@code "orders";r=23;t=37}: until all permits are back, or if it refused,
   * until the request would fit.
   */
  static void appendService(StringBuilder out, Decision decision, int i) {
    Outcome outcome = decision.outcome(i);
    long until = outcome.fits() || outcome.never() ? outcome.reset() : outcome.waitFor();
    appendName(out, decision, i);
    out.append(";r=").append(outcome.remaining()).append(";t=").append(Rounded.seconds(until));
  }

  /** Nothing in a name needs an escape: {@code Rule} sees to it. */
  private static void appendName(StringBuilder out, Decision decision, int i) {
    out.append('"').append(name(decision, i)).append('"');
  }
}
