package io.weir.rule;

import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.CompiledRule;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rate limiting rule: which requests it matches, which attributes it counts by, its limits and
 * how they are counted.
 *
 * <p>Immutable. Created with a {@link RuleBuilder} from {@link #named}, or from another rule with
 * {@link #edit}. Two rules are equal if their settings are equal.
 */
public abstract class Rule {
  /** After how long a slot that was not released is free again, unless the rule says otherwise. */
  public static final Duration DEFAULT_HELD_AT_MOST = Duration.ofMinutes(5);

  private static final Duration MIN_HELD_AT_MOST = Duration.ofMillis(100);
  private static final Duration MAX_HELD_AT_MOST = Duration.ofDays(1);
  private static final int MAX_PER_ATTRIBUTES = 8;
  private static final Pattern ID_PATTERN = Pattern.compile("[a-z0-9-]{1,64}");

  private final RuleBuilder spec;

  /** Creates a rule; only for the compiled rules that {@link RuleBuilder#build} returns. */
  @SuppressWarnings("this-escape") // the subclass overrides nothing that the validation calls
  protected Rule(RuleBuilder spec) {
    this.spec = spec;
    validate();
  }

  /** Starts building a rule. */
  public static RuleBuilder named(String id) {
    return new RuleBuilder(id);
  }

  /** Starts building a rule with the settings of this one. */
  public RuleBuilder edit() {
    return new RuleBuilder(spec);
  }

  /**
   * Returns this rule as one region enforces it. Its settings are the same, but every limit,
   * including those of overrides and of requests, is this many thousandths of the configured one:
   * at least one permit, or none for a share of zero. It uses the same counters.
   */
  public Rule withShare(int permille) {
    if (permille == spec.share) {
      return this;
    }
    RuleBuilder builder = new RuleBuilder(spec);
    builder.share = permille;
    return new CompiledRule(builder);
  }

  public String id() {
    return spec.id;
  }

  public RuleAction action() {
    return spec.action;
  }

  /** Returns the selector of the requests that the rule matches. */
  public Selector match() {
    return spec.match;
  }

  /** Returns the attributes to count per: one counter per tuple of values; one in all if empty. */
  public List<String> per() {
    return spec.per;
  }

  /** Returns what happens to a request that lacks an attribute to count per. */
  public MissingAttributePolicy missing() {
    return spec.missing;
  }

  /** Returns the rates; none if the rule allows or blocks. */
  public List<Rate> rates() {
    return spec.rates;
  }

  /** Returns the name of the algorithm, such as {@code token-bucket}. */
  public String algorithm() {
    return spec.algorithm().name();
  }

  /** Returns the configured size of the bucket, or 0 if it equals the permits of the limit. */
  public long burst() {
    return spec.burst;
  }

  /** Returns how long a used fixed window stays open past its end. */
  public Duration coolDown() {
    return spec.coolDown;
  }

  /** Returns how many requests of a counter may run at the same time; 0 if that is not limited. */
  public int inFlight() {
    return spec.inFlight;
  }

  /** Returns after which time a slot that was not released is free again. */
  public Duration heldAtMost() {
    return spec.heldAtMost;
  }

  /** Returns whether the rule or an override of it limits requests in flight. */
  public boolean limitsInFlight() {
    return spec.inFlight > 0
        || spec.overrides.stream().anyMatch(override -> override.inFlight() > 0);
  }

  /** Returns the calendar of the limits per hour and longer units; null if there is none. */
  public @Nullable CalendarSettings calendar() {
    return spec.calendar;
  }

  /** Returns how many attributes for the calendar made no sense. */
  public long invalidCalendarValues() {
    return spec.invalidCalendarValues.get();
  }

  /** Counts an attribute for the calendar that makes no sense; returns how many there were. */
  protected long countInvalidCalendarValue() {
    return spec.invalidCalendarValues.incrementAndGet();
  }

  public Consistency consistency() {
    return spec.consistency;
  }

  /** Returns how the rule decides while its store is unavailable. */
  public StoreFailureFallback fallback() {
    return spec.fallback;
  }

  /** Returns the percentage of the budget of each region; empty if the budget is not divided. */
  public Map<String, Integer> regions() {
    return spec.regions;
  }

  public List<LimitOverride> overrides() {
    return spec.overrides;
  }

  /** Returns the statuses of responses that are charged; empty if all requests are charged. */
  public List<String> chargeWhen() {
    return spec.chargeWhen.patterns();
  }

  /** Returns the statuses of responses whose requests are refunded. */
  public List<String> refundWhen() {
    return spec.refundWhen.patterns();
  }

  /** Returns whether the rule charges or refunds requests by the status of the response. */
  public boolean countsByResponse() {
    return !spec.chargeWhen.isEmpty() || !spec.refundWhen.isEmpty();
  }

  /** Returns whether a request is charged because of the status of its response. */
  public boolean isChargedOn(int status) {
    return spec.chargeWhen.contains(status);
  }

  /** Returns whether a request is refunded because of the status of its response. */
  public boolean isRefundedOn(int status) {
    return spec.refundWhen.contains(status);
  }

  /** Returns whether the counters must survive a restart of the store. */
  public boolean durable() {
    return spec.durable;
  }

  /** Returns whether the rule is evaluated but not enforced. */
  public boolean shadow() {
    return spec.shadow;
  }

  public boolean enabled() {
    return spec.enabled;
  }

  /** Returns the share of the limits that this region enforces, in thousandths. */
  public int share() {
    return spec.share;
  }

  private void validate() {
    if (!ID_PATTERN.matcher(spec.id).matches()) {
      throw invalid("id", "must be 1 to 64 characters of a-z, 0-9 and -");
    }
    if (spec.per.size() > MAX_PER_ATTRIBUTES || new HashSet<>(spec.per).size() < spec.per.size()) {
      throw invalid("per", "must name at most 8 attributes, each once (was " + spec.per + ")");
    }
    spec.per.forEach(name -> spec.runWithContext("per", () -> Selector.checkName(name)));
    checkRegions();
    checkInFlight();
    if (spec.action != RuleAction.LIMIT) {
      checkNothingIsCounted();
    }
    checkResponseStatuses();
    if (spec.calendar != null) {
      checkCalendar();
    }
    if (!spec.coolDown.isZero() && !spec.algorithm().hasCoolDown()) {
      throw invalid("cool-down", "is not supported by " + algorithm() + "; leave it out");
    }
  }

  private void checkInFlight() {
    if (spec.heldAtMost.compareTo(MIN_HELD_AT_MOST) < 0
        || spec.heldAtMost.compareTo(MAX_HELD_AT_MOST) > 0) {
      throw invalid(
          "held-at-most",
          "must be between 100ms and 1d (was "
              + Durations.format(spec.heldAtMost)
              + "), for example 30s");
    }
    if (!limitsInFlight()) {
      if (!spec.heldAtMost.equals(DEFAULT_HELD_AT_MOST)) {
        throw invalid("held-at-most", "is only allowed with in-flight; leave it out");
      }
      return;
    }
    Consistency.CountingMode mode = spec.consistency.mode();
    if (mode == Consistency.CountingMode.LEASED || mode == Consistency.CountingMode.SYNCED) {
      throw invalid(
          "consistency",
          "must be exact or local with in-flight (was "
              + mode.name().toLowerCase(Locale.ROOT)
              + "); put in-flight in a rule of its own");
    }
    if (spec.fallback.action() == StoreFailureFallback.FallbackAction.LOCAL) {
      throw invalid(
          "on-store-failure",
          "must be open or closed with in-flight (was local); put in-flight in a rule of its own");
    }
    if (!spec.regions.isEmpty()) {
      throw invalid(
          "regions", "is not supported with in-flight; put in-flight in a rule of its own");
    }
  }

  private void checkCalendar() {
    if (spec.algorithm() != Algorithms.FIXED_WINDOW) {
      throw invalid(
          "algorithm",
          "must be fixed-window for windows of the calendar (was " + algorithm() + ")");
    }
    if (!spec.coolDown.isZero()) {
      throw invalid("cool-down", "is not supported by windows of the calendar; leave it out");
    }
    if (!spec.rates.isEmpty()
        && spec.rates.stream().allMatch(rate -> rate.inCalendar().unit() == null)) {
      throw invalid(
          "calendar",
          "has no effect on "
              + spec.rates
              + "; write a limit per hour, day, week, month, quarter or year, for example"
              + " 1000/month");
    }
  }

  /** A rule that allows or blocks only has a selector; other fields would have no effect. */
  private void checkNothingIsCounted() {
    RuleBuilder plain =
        new RuleBuilder(spec.id)
            .action(spec.action)
            .match(spec.match)
            .shadow(spec.shadow)
            .enabled(spec.enabled);
    plain.share = spec.share;
    checkUnset("per", spec.per.isEmpty());
    checkUnset("missing", spec.missing == plain.missing);
    checkUnset("limit", spec.rates.isEmpty());
    checkUnset("algorithm", spec.algorithm().equals(plain.algorithm()));
    checkUnset("calendar", spec.calendar == null);
    checkUnset("burst", spec.burst == 0);
    checkUnset("in-flight", spec.inFlight == 0);
    checkUnset("consistency", spec.consistency.equals(plain.consistency));
    checkUnset("on-store-failure", spec.fallback.equals(plain.fallback));
    checkUnset("regions", spec.regions.isEmpty());
    checkUnset("overrides", spec.overrides.isEmpty());
    checkUnset("durable", !spec.durable);
    if (!spec.values().equals(plain.values())) {
      throw invalid("action", "must be limit with fields that concern a limit; leave them out");
    }
  }

  private void checkUnset(String field, boolean unset) {
    if (!unset) {
      String action = spec.action.name().toLowerCase(Locale.ROOT);
      throw invalid(field, "has no effect with action: " + action + "; leave it out");
    }
  }

  private void checkResponseStatuses() {
    if (!spec.chargeWhen.isEmpty() && !spec.refundWhen.isEmpty()) {
      throw invalid("refund-when", "must not be combined with charge-when; keep one");
    }
    if (!spec.chargeWhen.isEmpty() && spec.consistency.mode() == Consistency.CountingMode.LEASED) {
      throw invalid(
          "charge-when", "must not be combined with consistency: leased; write consistency: exact");
    }
  }

  private void checkRegions() {
    long sum = 0;
    for (Map.Entry<String, Integer> share : spec.regions.entrySet()) {
      if (!ID_PATTERN.matcher(share.getKey()).matches()) {
        throw invalid(
            "regions", "'" + share.getKey() + "' must be 1 to 64 characters of a-z, 0-9 and -");
      }
      if (share.getValue() < 1) {
        throw invalid(
            "regions",
            share.getKey() + " must be between 1% and 100% (was " + share.getValue() + "%)");
      }
      sum += share.getValue();
    }
    if (sum > 100) {
      throw invalid("regions", "must add up to at most 100% (was " + sum + "%)");
    }
  }

  private RuleException invalid(String field, String reason) {
    return new RuleException(spec.id, field, reason);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Rule that && spec.values().equals(that.spec.values());
  }

  @Override
  public int hashCode() {
    return spec.values().hashCode();
  }

  @Override
  public String toString() {
    return "rule " + spec.id + " " + spec.rates + " per " + spec.per;
  }
}
