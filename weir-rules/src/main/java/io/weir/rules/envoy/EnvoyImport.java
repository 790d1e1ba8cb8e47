package io.weir.rules.envoy;

import io.weir.algorithm.Algorithms;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.Selector;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import java.util.ArrayList;
import java.util.HashMap;
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
  private final String domain;
  private final List<EnvoyFile> files;
  private final List<Found> found = new ArrayList<>();

  /** A limit, under the descriptors that lead to it. */
  private record Found(Problems problems, List<Level> levels) {
    EnvoyLimit limit() {
      return last().limit().orElseThrow();
    }

    Limited last() {
      return levels.get(levels.size() - 1).chosen();
    }

    void wrong(Place at, String field, String reason) {
      String path = levels.stream().map(l -> l.chosen().label()).collect(Collectors.joining("/"));
      problems.add(at, path, field, reason);
    }
  }

  /**
   * @param files all that configure the domain, in their order
   */
  EnvoyImport(String domain, List<EnvoyFile> files) {
    this.domain = domain;
    this.files = files;
  }

  /** The rules; of use only if there are no problems. */
  List<Rule> rules() {
    List<Limited> all = descriptors();
    for (EnvoyFile file : files) {
      if (!domain.isEmpty()) {
        EnvoyPattern.problem(domain)
            .ifPresent(reason -> file.problems().add(file.domain().at(), "", "domain", reason));
      }
      walk(file.problems(), file.domain().descriptors(), all, List.of());
    }
    if (files.stream().anyMatch(file -> file.problems().any())) {
      return List.of();
    }
    EnvoyIds ids = new EnvoyIds(domain);
    found.forEach(one -> ids.add(one.levels(), one.limit().name()));
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      Found one = found.get(i);
      String id = ids.id(i);
      one.limit().rate().flatMap(rate -> rule(id, one, rate)).ifPresent(rules::add);
    }
    return rules;
  }

  /** The outermost descriptors of all files: a value in one file is an exception in the others. */
  private List<Limited> descriptors() {
    List<Limited> all = new ArrayList<>();
    Map<String, String> places = new HashMap<>();
    for (EnvoyFile file : files) {
      for (Limited one : file.domain().descriptors()) {
        String place = file.name() + " in line " + one.at().line();
        String first = places.putIfAbsent(one.label(), place);
        if (first == null) {
          all.add(one);
        } else {
          file.problems()
              .add(one.at(), one.label(), "", "stands already in " + first + "; keep one");
        }
      }
    }
    return all;
  }

  /** Finds all limits, and what no rule could say. */
  private void walk(
      Problems problems, List<Limited> own, List<Limited> siblings, List<Level> outer) {
    for (Limited one : own) {
      List<Level> levels = new ArrayList<>(outer);
      levels.add(new Level(one, siblings));
      Found here = new Found(problems, levels);
      EnvoyPattern.problemOfKey(one.key()).ifPresent(reason -> here.wrong(one.at(), "key", reason));
      EnvoyPattern.problem(one).ifPresent(reason -> here.wrong(one.at(), "value", reason));
      if (one.limit().flatMap(EnvoyLimit::rate).isPresent()) {
        found.add(here);
      }
      walk(problems, one.inner(), one.inner(), levels);
    }
  }

  private Optional<Rule> rule(String id, Found one, Rate rate) {
    Descriptor attributes = new Descriptor(domain);
    Map<String, List<String>> match = new LinkedHashMap<>();
    List<String> per = new ArrayList<>();
    Set<String> names = new HashSet<>();
    match.put(Descriptor.DOMAIN, List.of(domain));
    match.put(Descriptor.KEYS, List.of());
    for (Level level : one.levels()) {
      String name = attributes.add(level.chosen().key(), "");
      if (!names.add(name)) {
        one.wrong(level.chosen().at(), "key", "'" + name + "' stands twice; write another");
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
              .shadow(one.last().shadow())
              .build());
    } catch (RuleException e) {
      one.wrong(one.limit().at(), "rate_limit", e.reason());
      return Optional.empty();
    }
  }
}
