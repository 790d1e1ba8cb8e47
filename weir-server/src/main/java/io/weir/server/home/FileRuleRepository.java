package io.weir.server.home;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Rules in a file, which people change themselves. */
record FileRuleRepository(Path file) implements RuleRepository {

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public StoredRules content() {
    List<StoredRule> kept = Rules.read(file).stream().map(rule -> new StoredRule(rule, 0)).toList();
    return new StoredRules(0, kept, Map.of());
  }

  @Override
  public long replace(List<Rule> rules, String who, long expectedRevision) {
    throw new RuleRepositoryException(
        RuleRepositoryException.RepositoryFailure.READ_ONLY,
        file + " is a file, and followed as it changes; copy the rules over it");
  }
}
