package io.weir.rules;

import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.CalendarSettings;
import io.weir.rule.Consistency;
import io.weir.rule.LimitOverride;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import java.time.DayOfWeek;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts a rule to the fields to be written: maps, lists, strings, numbers and booleans, in their
 * usual order, without those that have their default.
 */
final class RuleFields {

  /** Text that needs no quotes in YAML, such as {@code 100/minute}. */
  record UnquotedText(String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  private RuleFields() {}

  static Map<String, Object> of(Rule rule) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", rule.id());
    boolean counts = rule.action() == RuleAction.LIMIT;
    putIf(fields, !counts, "action", lowerCaseName(rule.action()));
    putIf(fields, !rule.match().patterns().isEmpty(), "match", selector(rule.match()));
    putIf(fields, !rule.per().isEmpty(), "per", List.copyOf(rule.per()));
    boolean byAddress = rule.missing() == MissingAttributePolicy.ADDRESS;
    putIf(fields, !byAddress, "missing", lowerCaseName(rule.missing()));
    putIf(fields, !rule.rates().isEmpty(), "limit", rates(rule.rates()));
    String algorithm = rule.algorithm();
    putIf(fields, !algorithm.equals(Algorithms.TOKEN_BUCKET.name()), "algorithm", algorithm);
    putIf(fields, rule.burst() != 0, "burst", rule.burst());
    putIf(fields, !rule.coolDown().isZero(), "cool-down", duration(rule.coolDown()));
    calendar(fields, rule.calendar());
    putIf(fields, rule.inFlight() != 0, "in-flight", rule.inFlight());
    boolean isDefaultHold = rule.heldAtMost().equals(Rule.DEFAULT_HELD_AT_MOST);
    putIf(fields, !isDefaultHold, "held-at-most", duration(rule.heldAtMost()));
    consistency(fields, rule.consistency());
    fallback(fields, rule.fallback());
    putIf(fields, !rule.regions().isEmpty(), "regions", regions(rule));
    putIf(fields, !rule.overrides().isEmpty(), "overrides", overrides(rule));
    putIf(fields, !rule.chargeWhen().isEmpty(), "charge-when", statuses(rule.chargeWhen()));
    putIf(fields, !rule.refundWhen().isEmpty(), "refund-when", statuses(rule.refundWhen()));
    putIf(fields, rule.durable(), "durable", true);
    putIf(fields, rule.shadow(), "shadow", true);
    putIf(fields, !rule.enabled(), "enabled", false);
    return fields;
  }

  private static void calendar(Map<String, Object> fields, @Nullable CalendarSettings calendar) {
    if (calendar == null) {
      return;
    }
    CalendarSettings usual = CalendarSettings.DEFAULT;
    putIf(fields, calendar.equals(usual), "calendar", true);
    boolean sameZone = calendar.zone().equals(usual.zone()) && calendar.zoneAttribute() == null;
    putIf(fields, !sameZone, "zone", perCaller(calendar.zoneAttribute(), calendar.zone().getId()));
    DayOfWeek weekStarts = calendar.weekStarts();
    putIf(fields, weekStarts != usual.weekStarts(), "week-starts", lowerCaseName(weekStarts));
    boolean sameDay =
        calendar.resetDay() == usual.resetDay() && calendar.resetDayAttribute() == null;
    Object day = perCaller(calendar.resetDayAttribute(), calendar.resetDay());
    putIf(fields, !sameDay, "reset-day", day);
    boolean sameTime = calendar.resetAt().equals(usual.resetAt());
    putIf(fields, !sameTime, "reset-at", calendar.resetAt().toString());
  }

  private static Object perCaller(@Nullable String attribute, Object value) {
    if (attribute == null) {
      return value;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("attribute", attribute);
    fields.put("default", value);
    return fields;
  }

  private static void consistency(Map<String, Object> fields, Consistency consistency) {
    boolean exact = consistency.mode() == Consistency.CountingMode.EXACT;
    putIf(fields, !exact, "consistency", lowerCaseName(consistency.mode()));
    boolean synced = consistency.mode() == Consistency.CountingMode.SYNCED;
    boolean isDefault =
        consistency.syncInterval().equals(DependentFieldReader.DEFAULT_SYNC_INTERVAL);
    putIf(fields, synced && !isDefault, "sync-every", duration(consistency.syncInterval()));
  }

  private static void fallback(Map<String, Object> fields, StoreFailureFallback fallback) {
    boolean open = fallback.action() == StoreFailureFallback.FallbackAction.OPEN;
    putIf(fields, !open, "on-store-failure", lowerCaseName(fallback.action()));
    boolean local = fallback.action() == StoreFailureFallback.FallbackAction.LOCAL;
    boolean isDefault = fallback.percent() == DependentFieldReader.DEFAULT_LOCAL_SHARE_PERCENT;
    putIf(fields, local && !isDefault, "local-share", percent(fallback.percent()));
  }

  private static Map<String, Object> regions(Rule rule) {
    Map<String, Object> shares = new LinkedHashMap<>();
    rule.regions().forEach((name, share) -> shares.put(name, percent(share)));
    return shares;
  }

  private static List<Map<String, Object>> overrides(Rule rule) {
    return rule.overrides().stream().map(RuleFields::override).toList();
  }

  private static Map<String, Object> override(LimitOverride override) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("when", selector(override.when()));
    putIf(fields, !override.rates().isEmpty(), "limit", rates(override.rates()));
    putIf(fields, override.burst() != 0, "burst", override.burst());
    putIf(fields, override.inFlight() != 0, "in-flight", override.inFlight());
    return fields;
  }

  private static Map<String, Object> selector(Selector selector) {
    Map<String, Object> fields = new LinkedHashMap<>();
    selector.patterns().forEach((name, values) -> fields.put(name, oneOrMany(values)));
    return fields;
  }

  private static Map<String, Object> statuses(List<String> patterns) {
    return Map.of("status", oneOrMany(patterns.stream().map(UnquotedText::new).toList()));
  }

  private static Object rates(List<Rate> rates) {
    return oneOrMany(rates.stream().map(rate -> new UnquotedText(rate.toString())).toList());
  }

  private static Object oneOrMany(List<?> values) {
    return values.size() == 1 ? values.get(0) : values;
  }

  static UnquotedText duration(Duration duration) {
    return new UnquotedText(Durations.format(duration));
  }

  private static UnquotedText percent(int percent) {
    return new UnquotedText(percent + "%");
  }

  private static String lowerCaseName(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static void putIf(
      Map<String, Object> fields, boolean condition, String name, Object value) {
    if (condition) {
      fields.put(name, value);
    }
  }
}
