package io.weir.rules.envoy;

import io.weir.algorithm.Algorithms;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.Selector;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Turns descriptors into rules.
 *
 * <p>envoyproxy/ratelimit looks a descriptor up level by level and never turns back: the exact
 * value first, then the first wildcard in the list, then the bare key; a limit is found if it
 * stands where the descriptor ends. Rules have no order among them: all that meet a request hold.
 * So a rule names the whole list of keys, and at each level excepts what would have been found
 * before. Every value is counted by itself, unless those of a wildcard are said to share.
 */
final class EnvoyImport {
  private final Problems problems;
  private final EnvoyReader.Domain domain;
  private final List<List<Level>> found = new ArrayList<>();

  EnvoyImport(Problems problems, EnvoyReader.Domain domain) {
    this.problems = problems;
    this.domain = domain;
  }

  /** The rules; of use only if there are no problems. */
  List<Rule> rules() {
    if (!domain.name().isEmpty()) {
      EnvoyPattern.problem(domain.name())
          .ifPresent(reason -> problems.add(domain.at(), "", "domain", reason));
    }
    walk(domain.descriptors(), List.of());
    if (problems.any()) {
      return List.of();
    }
    EnvoyIds ids = new EnvoyIds(domain.name());
    found.forEach(levels -> ids.add(levels, limit(levels).name()));
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      List<Level> levels = found.get(i);
      String id = ids.id(i);
      limit(levels).rate().flatMap(rate -> rule(id, levels, rate)).ifPresent(rules::add);
    }
    return rules;
  }

  /** Finds all limits, and what no rule could say. */
  private void walk(List<Limited> siblings, List<Level> outer) {
    for (Limited one : siblings) {
      List<Level> levels = new ArrayList<>(outer);
      levels.add(new Level(one, siblings));
      EnvoyPattern.problemOfKey(one.key())
          .ifPresent(reason -> wrong(one.at(), levels, "key", reason));
      EnvoyPattern.problem(one).ifPresent(reason -> wrong(one.at(), levels, "value", reason));
      if (one.limit().flatMap(EnvoyLimit::rate).isPresent()) {
        found.add(levels);
      }
      walk(one.inner(), levels);
    }
  }

  private Optional<Rule> rule(String id, List<Level> levels, Rate rate) {
    Limited last = levels.get(levels.size() - 1).chosen();
    Descriptor attributes = new Descriptor(domain.name());
    Map<String, List<String>> match = new LinkedHashMap<>();
    List<String> per = new ArrayList<>();
    Set<String> names = new HashSet<>();
    match.put(Descriptor.DOMAIN, List.of(domain.name()));
    match.put(Descriptor.KEYS, List.of());
    for (Level level : levels) {
      String name = attributes.add(level.chosen().key(), "");
      if (!names.add(name)) {
        wrong(level.chosen().at(), levels, "key", "'" + name + "' stands twice; write another");
        return Optional.empty();
      }
      List<String> patterns = level.patterns();
      if (!patterns.isEmpty()) {
        match.put(name, patterns);
      }
      if (level.isCounted()) {
        per.add(name);
      }
    }
    match.put(Descriptor.KEYS, List.of(attributes.joined()));
    try {
      return Optional.of(
          Rule.named(id)
              .match(Selector.of(match))
              .per(per.toArray(new String[0]))
              .limit(List.of(rate))
              .algorithm(Algorithms.FIXED_WINDOW)
              .shadow(last.shadow())
              .build());
    } catch (RuleException e) {
      wrong(limit(levels).at(), levels, "rate_limit", e.reason());
      return Optional.empty();
    }
  }

  private static EnvoyLimit limit(List<Level> levels) {
    return levels.get(levels.size() - 1).chosen().limit().orElseThrow();
  }

  private void wrong(Place at, List<Level> levels, String field, String reason) {
    String path = levels.stream().map(l -> l.chosen().label()).collect(Collectors.joining("/"));
    problems.add(at, path, field, reason);
  }
}
