package io.weir.cli.repository;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A read-only rule repository in a file, which users edit themselves. */
record FileRuleRepository(Path file) implements RuleRepository {

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public StoredRules content() {
    List<StoredRule> stored =
        Rules.read(file).stream().map(rule -> new StoredRule(rule, 0)).toList();
    return new StoredRules(0, stored, Map.of());
  }

  @Override
  public long replace(List<Rule> newRules, String actor, long expectedRevision) {
    throw new RuleRepositoryException(
        RuleRepositoryException.RepositoryFailure.READ_ONLY,
        file + " is a file and is reloaded when it changes; copy the rules over it");
  }
}
