package io.weir.cli.repository;

import io.weir.rule.Rule;
import io.weir.rules.FileRules;
import java.util.List;
import java.util.Map;

/** Stores rules: in a file, in a database, or on a server. */
public interface RuleRepository extends AutoCloseable {

  /**
   * Opens the repository at {@code file:…}, {@code jdbc:h2:…} or {@code jdbc:postgresql:…}.
   *
   * @param create whether a missing database file is created
   * @throws RuleRepositoryException if the repository does not exist or is locked
   */
  static RuleRepository open(String url, boolean create) {
    return url.startsWith("file:")
        ? new FileRuleRepository(FileRules.toPath(url))
        : DatabaseRuleRepository.open(url, create);
  }

  /** Returns the display name, without passwords. */
  String name();

  /** Returns all current rules in their order. */
  StoredRules content();

  /**
   * Replaces all rules in one step.
   *
   * @param actor the user recorded in the change history
   * @param expectedRevision the revision the change is based on
   * @return the new revision
   */
  long replace(List<Rule> rules, String actor, long expectedRevision);

  @Override
  default void close() {}

  /**
   * The content of a repository.
   *
   * @param revision the revision of all rules; 0 if the repository has no revisions
   * @param entries the rules with their revisions
   * @param rejected problems of invalid stored rules by rule id; their last good version is used
   */
  record StoredRules(long revision, List<StoredRule> entries, Map<String, String> rejected) {
    public List<Rule> rules() {
      return entries.stream().map(StoredRule::rule).toList();
    }

    /** Returns the revision as a suffix of the display name; empty if there is none. */
    public String revisionSuffix() {
      return revision == 0 ? "" : ", revision " + revision;
    }
  }

  /**
   * A stored rule.
   *
   * @param revision the revision of its last change; 0 if the repository has no revisions
   */
  record StoredRule(Rule rule, long revision) {}
}
