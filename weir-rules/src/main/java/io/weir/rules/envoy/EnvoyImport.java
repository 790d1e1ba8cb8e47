package io.weir.rules.envoy;

import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.Selector;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
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
 * Converts the descriptors of one domain into rules.
 *
 * <p>envoyproxy/ratelimit looks a descriptor up level by level without backtracking: the exact
 * value first, then the first wildcard in the list, then the key without a value; a limit applies
 * if it is defined where the descriptor ends. Rules have no order: all rules that match a request
 * apply. So a rule matches the whole list of keys, and at each level excludes the values that the
 * lookup would have found before. Every value has its own counter, unless a wildcard sets {@code
 * share_threshold}.
 */
final class EnvoyImport {
  private final String domain;
  private final List<EnvoyFile> files;
  private final List<ImportedLimit> importedLimits = new ArrayList<>();

  /** A limit and the descriptors that lead to it. */
  private record ImportedLimit(ProblemCollector problems, List<DescriptorLevel> levels) {
    EnvoyLimit limit() {
      return lastDescriptor().limit().orElseThrow();
    }

    ConfiguredDescriptor lastDescriptor() {
      return levels.get(levels.size() - 1).chosen();
    }

    void report(SourcePosition at, String field, String reason) {
      String path = levels.stream().map(l -> l.chosen().label()).collect(Collectors.joining("/"));
      problems.add(at, path, field, reason);
    }
  }

  /**
   * @param files all files of the domain, in their order
   */
  EnvoyImport(String domain, List<EnvoyFile> files) {
    this.domain = domain;
    this.files = files;
  }

  /** Returns the rules; empty if any problem was reported. */
  List<Rule> toRules() {
    List<ConfiguredDescriptor> all = mergedDescriptors();
    for (EnvoyFile file : files) {
      if (!domain.isEmpty()) {
        EnvoyPattern.valueProblem(domain)
            .ifPresent(
                reason -> file.problems().add(file.domain().position(), "", "domain", reason));
      }
      collectLimits(file.problems(), file.domain().descriptors(), all, List.of());
    }
    if (files.stream().anyMatch(file -> file.problems().hasProblems())) {
      return List.of();
    }
    EnvoyRuleIds ids = new EnvoyRuleIds(domain);
    importedLimits.forEach(one -> ids.add(one.levels(), one.limit().name()));
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < importedLimits.size(); i++) {
      ImportedLimit one = importedLimits.get(i);
      String id = ids.id(i);
      one.limit().rate().flatMap(rate -> toRule(id, one, rate)).ifPresent(rules::add);
    }
    return rules;
  }

  /**
   * Returns the top-level descriptors of all files: a value in one file is excluded in the others.
   */
  private List<ConfiguredDescriptor> mergedDescriptors() {
    List<ConfiguredDescriptor> all = new ArrayList<>();
    Map<String, String> places = new HashMap<>();
    for (EnvoyFile file : files) {
      for (ConfiguredDescriptor one : file.domain().descriptors()) {
        String place = file.name() + ", line " + one.position().line();
        String first = places.putIfAbsent(one.label(), place);
        if (first == null) {
          all.add(one);
        } else {
          file.problems()
              .add(
                  one.position(),
                  one.label(),
                  "",
                  "must occur once (was already in " + first + ")");
        }
      }
    }
    return all;
  }

  /** Collects all limits, and reports descriptors that cannot be converted. */
  private void collectLimits(
      ProblemCollector problems,
      List<ConfiguredDescriptor> own,
      List<ConfiguredDescriptor> siblings,
      List<DescriptorLevel> outer) {
    for (ConfiguredDescriptor one : own) {
      List<DescriptorLevel> levels = new ArrayList<>(outer);
      levels.add(new DescriptorLevel(one, siblings));
      ImportedLimit here = new ImportedLimit(problems, levels);
      EnvoyPattern.keyProblem(one.key())
          .ifPresent(reason -> here.report(one.position(), "key", reason));
      EnvoyPattern.valueProblem(one)
          .ifPresent(reason -> here.report(one.position(), "value", reason));
      if (one.limit().flatMap(EnvoyLimit::rate).isPresent()) {
        importedLimits.add(here);
      }
      collectLimits(problems, one.children(), one.children(), levels);
    }
  }

  private Optional<Rule> toRule(String id, ImportedLimit one, Rate rate) {
    EnvoyDescriptor attributes = new EnvoyDescriptor(domain);
    Map<String, List<String>> match = new LinkedHashMap<>();
    List<String> per = new ArrayList<>();
    Set<String> names = new HashSet<>();
    match.put(EnvoyDescriptor.DOMAIN_ATTRIBUTE, List.of(domain));
    match.put(EnvoyDescriptor.KEYS_ATTRIBUTE, List.of());
    for (DescriptorLevel level : one.levels()) {
      String name = attributes.add(level.chosen().key(), "");
      if (!names.add(name)) {
        one.report(level.chosen().position(), "key", "must be unique (was '" + name + "' twice)");
        return Optional.empty();
      }
      List<String> patterns = level.patterns();
      if (!patterns.isEmpty()) {
        match.put(name, patterns);
      }
      if (level.isCountedPerValue()) {
        per.add(name);
      }
    }
    match.put(EnvoyDescriptor.KEYS_ATTRIBUTE, List.of(attributes.joinedKeys()));
    try {
      return Optional.of(
          Rule.named(id)
              .match(Selector.of(match))
              .per(per.toArray(new String[0]))
              .limit(List.of(rate))
              .algorithm(Algorithms.FIXED_WINDOW.name())
              .shadow(one.lastDescriptor().shadow())
              .build());
    } catch (RuleException e) {
      one.report(one.limit().position(), "rate_limit", e.reason());
      return Optional.empty();
    }
  }
}
