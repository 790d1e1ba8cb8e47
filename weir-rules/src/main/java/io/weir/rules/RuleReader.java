package io.weir.rules;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Limit;
import io.weir.rule.LimitOverride;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleBuilder;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reads one rule. Every field that can be read becomes a step of its assembly; a value that the
 * rule rejects is reported at the position of its field.
 */
final class RuleReader {
  /** The names of all fields, in their usual order. */
  static final List<String> FIELD_NAMES =
      List.of(
          "id",
          "action",
          "match",
          "per",
          "missing",
          "limit",
          "algorithm",
          "burst",
          "cool-down",
          "calendar",
          "zone",
          "week-starts",
          "reset-day",
          "reset-at",
          "in-flight",
          "held-at-most",
          "consistency",
          "sync-every",
          "on-store-failure",
          "local-share",
          "regions",
          "overrides",
          "charge-when",
          "refund-when",
          "durable",
          "shadow",
          "enabled");

  private static final Map<String, String> ALGORITHMS = new LinkedHashMap<>();

  private static final Map<String, RuleAction> ACTIONS =
      DependentFieldReader.byLowerCaseName(RuleAction.values());
  private static final Map<String, MissingAttributePolicy> MISSING_POLICIES =
      DependentFieldReader.byLowerCaseName(MissingAttributePolicy.values());

  /** The actions that need no limit. */
  private static final List<String> UNCOUNTED_ACTIONS = List.of("allow", "block");

  static {
    Algorithms.all().forEach(algorithm -> ALGORITHMS.put(algorithm.name(), algorithm.name()));
  }

  private final ProblemCollector problems;
  private final MapValue ruleFields;
  private final String id;
  private final Map<String, ParsedValue> values = new LinkedHashMap<>();
  private final RuleAssembly steps;
  private final Set<String> misspelledFields = new HashSet<>();
  private List<OverridesReader.PlacedOverride> overrides = List.of();

  RuleReader(ProblemCollector problems, MapValue map) {
    this.problems = problems;
    this.ruleFields = map;
    for (MapEntry field : map.fields()) {
      values.put(field.name(), field.value());
    }
    id = scalar("id");
    steps = new RuleAssembly(id.isEmpty() ? "unnamed" : id);
  }

  private String scalar(String field) {
    return values.get(field) instanceof ParsedValue.ScalarValue text && !text.isNull()
        ? text.value()
        : "";
  }

  /** Returns the id as written, or an empty string if there is none. */
  String id() {
    return id;
  }

  /** Returns the position of a field's value, or of the rule if the field is missing. */
  SourcePosition positionOf(String field) {
    ParsedValue value = values.get(field);
    if (value == null && field.equals("calendar")) { // any of its fields is enough
      value =
          CalendarReader.FIELD_NAMES.stream()
              .map(values::get)
              .filter(Objects::nonNull)
              .findFirst()
              .orElse(null);
    }
    return value == null ? ruleFields.position() : value.position();
  }

  /** Reads the rule. The result must only be used if no problem was reported. */
  Optional<Rule> read() {
    for (MapEntry field : ruleFields.fields()) {
      if (FIELD_NAMES.contains(field.name())) {
        read(field.name(), field.value());
      } else {
        NameSuggestion.closest(field.name(), FIELD_NAMES).ifPresent(misspelledFields::add);
        fieldReader(field.name())
            .report(
                field.position(),
                "is not a field; " + NameSuggestion.hint(field.name(), FIELD_NAMES));
      }
    }
    steps.add(
        "consistency",
        new DependentFieldReader(fieldReader("consistency"), fieldReader("sync-every"))
            .readConsistency(values.get("consistency"), values.get("sync-every")),
        RuleBuilder::consistency);
    steps.add(
        "on-store-failure",
        new DependentFieldReader(fieldReader("on-store-failure"), fieldReader("local-share"))
            .readFallback(values.get("on-store-failure"), values.get("local-share")),
        RuleBuilder::onStoreFailure);
    steps.add("calendar", new CalendarReader(problems, id).read(values), RuleBuilder::calendar);
    requireField("id", "for example api");
    boolean counts = !UNCOUNTED_ACTIONS.contains(scalar("action"));
    boolean limitsInFlight = values.containsKey("in-flight");
    boolean isLimit = !values.containsKey("action") || scalar("action").equals("limit");
    if (isLimit && !limitsInFlight) {
      requireField("limit", "for example 100/minute");
    }
    boolean known = !values.containsKey("algorithm") || steps.hasField("algorithm");
    boolean hasLimit =
        steps.hasField("limit") || (steps.hasField("in-flight") && !values.containsKey("limit"));
    if (!known || (counts && !hasLimit)) {
      steps.usePlaceholderLimit();
      overrides = List.of();
    }
    LimitOverride[] all =
        overrides.stream()
            .map(OverridesReader.PlacedOverride::override)
            .toArray(LimitOverride[]::new);
    return steps.build(all).or(this::reportInvalidFields);
  }

  /** Reports the fields and overrides that make the rule invalid. */
  private Optional<Rule> reportInvalidFields() {
    steps
        .buildValidFields((field, reason) -> fieldReader(field).report(positionOf(field), reason))
        .ifPresent(
            rule ->
                new OverridesReader(fieldReader("overrides"))
                    .reportInvalidOverrides(rule, overrides));
    return Optional.empty();
  }

  private void read(String name, ParsedValue value) {
    FieldReader in = fieldReader(name);
    switch (name) {
      case "id" -> in.text(value, "a name, for example api");
      case "action" -> steps.add(name, in.oneOf(value, ACTIONS), RuleBuilder::action);
      case "missing" -> steps.add(name, in.oneOf(value, MISSING_POLICIES), RuleBuilder::missing);
      case "match" -> steps.add(name, new SelectorReader(in).read(value), RuleBuilder::match);
      case "per" ->
          steps.add(
              name,
              readAttributeNames(in, value),
              (rule, per) -> rule.per(per.toArray(new String[0])));
      case "limit" -> steps.add(name, readRates(in, value), RuleBuilder::limit);
      case "algorithm" -> steps.add(name, in.oneOf(value, ALGORITHMS), RuleBuilder::algorithm);
      case "burst" -> steps.add(name, in.wholeNumber(value), RuleBuilder::burst);
      case "cool-down" -> steps.add(name, in.duration(value), RuleBuilder::coolDown);
      case "in-flight" ->
          steps.add(name, readSlots(in, value), (rule, slots) -> rule.inFlight(slots));
      case "held-at-most" -> steps.add(name, in.duration(value), RuleBuilder::heldAtMost);
      case "regions" -> steps.add(name, readRegions(in, value), RuleBuilder::regions);
      case "overrides" -> overrides = new OverridesReader(in).read(value).orElse(List.of());
      case "charge-when" -> steps.add(name, readStatuses(in, value), RuleBuilder::chargeWhen);
      case "refund-when" -> steps.add(name, readStatuses(in, value), RuleBuilder::refundWhen);
      case "durable" -> steps.add(name, in.booleanValue(value), RuleBuilder::durable);
      case "shadow" -> steps.add(name, in.booleanValue(value), RuleBuilder::shadow);
      case "enabled" -> steps.add(name, in.booleanValue(value), RuleBuilder::enabled);
      default -> {} // read with the field they depend on
    }
  }

  static Optional<Integer> readSlots(FieldReader in, ParsedValue value) {
    return in.wholeNumber(value).flatMap(slots -> in.convert(value, slots, Limit::checkSlots));
  }

  static Optional<List<Rate>> readRates(FieldReader in, ParsedValue value) {
    return in.oneOrMany(value, "a rate, for example 100/minute")
        .flatMap(several -> in.readAll(several, in::rate));
  }

  private static Optional<List<String>> readAttributeNames(FieldReader in, ParsedValue value) {
    return in.oneOrMany(value, "a list of attributes, for example [user]")
        .flatMap(
            several ->
                in.readAll(several, item -> in.text(item, "an attribute, for example user")));
  }

  /** Reads a map with the single field {@code status}. */
  private static Optional<String[]> readStatuses(FieldReader in, ParsedValue value) {
    String example = "a map with the one field status, for example {status: [401, 403]}";
    Optional<MapValue> map = in.fields(value, example);
    List<MapEntry> fields = map.map(MapValue::fields).orElse(List.of());
    if (map.isPresent() && (fields.size() != 1 || !fields.get(0).name().equals("status"))) {
      in.report(value.position(), FieldReader.mustBe(example, "other fields"));
      return Optional.empty();
    }
    return map.flatMap(m -> in.oneOrMany(fields.get(0).value(), "a status, for example 401"))
        .flatMap(list -> in.readAll(list, item -> in.text(item, "a status, for example 401")))
        .map(statuses -> statuses.toArray(new String[0]));
  }

  private static Optional<Map<String, Integer>> readRegions(FieldReader in, ParsedValue value) {
    Map<String, Integer> shares = new LinkedHashMap<>();
    return in.fields(value, "a map of regions to shares, for example {eu-west-1: 50%}")
        .filter(
            map -> {
              map.fields()
                  .forEach(f -> in.percent(f.value()).ifPresent(p -> shares.put(f.name(), p)));
              return shares.size() == map.fields().size();
            })
        .map(all -> shares);
  }

  private void requireField(String field, String example) {
    if (!values.containsKey(field) && !misspelledFields.contains(field)) {
      fieldReader(field).report(ruleFields.position(), "must be set, " + example);
    }
  }

  private FieldReader fieldReader(String field) {
    return new FieldReader(problems, id, field);
  }
}
