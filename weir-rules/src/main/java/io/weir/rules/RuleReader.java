package io.weir.rules;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads one rule: every field that can be read becomes a step of its making, and what the rule
 * refuses is a problem at the place of its field.
 */
final class RuleReader {
  /** All fields, in their usual order. */
  static final List<String> KNOWN =
      List.of(
          "id",
          "match",
          "per",
          "limit",
          "algorithm",
          "burst",
          "cool-down",
          "consistency",
          "sync-every",
          "on-store-failure",
          "local-share",
          "regions",
          "overrides",
          "durable",
          "shadow",
          "enabled");

  private static final Map<String, Algorithm> ALGORITHMS = new LinkedHashMap<>();

  static {
    Algorithms.all().forEach(one -> ALGORITHMS.put(one.name(), one));
  }

  private final Problems problems;
  private final Fields map;
  private final String id;
  private final Map<String, Written> values = new LinkedHashMap<>();
  private final RuleSteps steps;
  private final Set<String> meant = new HashSet<>();
  private List<OverridesReader.Placed> overrides = List.of();

  RuleReader(Problems problems, Fields map) {
    this.problems = problems;
    this.map = map;
    for (Field field : map.fields()) {
      values.put(field.name(), field.value());
    }
    id = values.get("id") instanceof Written.Text text && !text.isNull() ? text.value() : "";
    steps = new RuleSteps(id.isEmpty() ? "unnamed" : id);
  }

  /** The id as written, or empty. */
  String id() {
    return id;
  }

  /** The place of a field's value, or of the rule if it has none. */
  Place place(String field) {
    Written value = values.get(field);
    return value == null ? map.at() : value.at();
  }

  /** The rule; what comes of one with problems is of no use. */
  Optional<Rule> read() {
    for (Field field : map.fields()) {
      if (KNOWN.contains(field.name())) {
        read(field.name(), field.value());
      } else {
        Nearest.to(field.name(), KNOWN).ifPresent(meant::add);
        in(field.name()).wrong(field.at(), "is not a field; " + Nearest.hint(field.name(), KNOWN));
      }
    }
    steps.add(
        "consistency",
        new PairsReader(in("consistency"), in("sync-every"))
            .consistency(values.get("consistency"), values.get("sync-every")),
        RuleBuilder::consistency);
    steps.add(
        "on-store-failure",
        new PairsReader(in("on-store-failure"), in("local-share"))
            .posture(values.get("on-store-failure"), values.get("local-share")),
        RuleBuilder::onStoreFailure);
    require("id", "write a name of its own, such as api");
    require("limit", "write how many per how long, such as 100/minute");
    boolean known = !values.containsKey("algorithm") || steps.has("algorithm");
    if (!known || !steps.has("limit")) {
      steps.standIn();
      overrides = List.of();
    }
    LimitOverride[] all =
        overrides.stream().map(OverridesReader.Placed::override).toArray(LimitOverride[]::new);
    return steps.whole(all).or(this::explained);
  }

  /** Says of a rule that cannot be what it is that cannot. */
  private Optional<Rule> explained() {
    steps
        .make((field, reason) -> in(field).wrong(place(field), reason))
        .ifPresent(rule -> new OverridesReader(in("overrides")).explain(rule, overrides));
    return Optional.empty();
  }

  private void read(String name, Written value) {
    FieldReader in = in(name);
    switch (name) {
      case "id" -> in.text(value, "a name, such as api");
      case "match" -> steps.add(name, new SelectorReader(in).read(value), RuleBuilder::match);
      case "per" ->
          steps.add(name, names(in, value), (rule, per) -> rule.per(per.toArray(new String[0])));
      case "limit" -> steps.add(name, rates(in, value), RuleBuilder::limit);
      case "algorithm" -> steps.add(name, in.oneOf(value, ALGORITHMS), RuleBuilder::algorithm);
      case "burst" -> steps.add(name, in.whole(value), RuleBuilder::burst);
      case "cool-down" -> steps.add(name, in.duration(value), RuleBuilder::coolDown);
      case "regions" -> steps.add(name, regions(in, value), RuleBuilder::regions);
      case "overrides" -> overrides = new OverridesReader(in).read(value).orElse(List.of());
      case "durable" -> steps.add(name, in.truth(value), RuleBuilder::durable);
      case "shadow" -> steps.add(name, in.truth(value), RuleBuilder::shadow);
      case "enabled" -> steps.add(name, in.truth(value), RuleBuilder::enabled);
      default -> {} // read in pairs
    }
  }

  static Optional<List<Rate>> rates(FieldReader in, Written value) {
    return in.several(value, "how many per how long, such as 100/minute")
        .flatMap(several -> in.all(several, in::rate));
  }

  private static Optional<List<String>> names(FieldReader in, Written value) {
    return in.several(value, "a list of attributes, such as [user]")
        .flatMap(several -> in.all(several, one -> in.text(one, "an attribute, such as user")));
  }

  private static Optional<Map<String, Integer>> regions(FieldReader in, Written value) {
    Map<String, Integer> shares = new LinkedHashMap<>();
    return in.fields(value, "regions and their shares, such as {eu-west-1: 50%}")
        .filter(
            written -> {
              written
                  .fields()
                  .forEach(f -> in.percent(f.value()).ifPresent(p -> shares.put(f.name(), p)));
              return shares.size() == written.fields().size();
            })
        .map(all -> shares);
  }

  private void require(String field, String advice) {
    if (!values.containsKey(field) && !meant.contains(field)) {
      in(field).wrong(map.at(), "is missing; " + advice);
    }
  }

  private FieldReader in(String field) {
    return new FieldReader(problems, id, field);
  }
}
