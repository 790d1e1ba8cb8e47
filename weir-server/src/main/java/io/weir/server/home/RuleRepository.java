package io.weir.server.home;

import io.weir.rule.Rule;
import io.weir.rules.FileRules;
import java.util.List;
import java.util.Map;

/** Where rules live: a file, a database, or a server that has them. */
public interface RuleRepository extends AutoCloseable {

  /**
   * The home at {@code file:…}, {@code jdbc:h2:…} or {@code jdbc:postgresql:…}.
   *
   * @param make whether a database that is a file is made where there is none
   * @throws RuleRepositoryException if it cannot be opened, and it is known why
   */
  static RuleRepository open(String url, boolean make) {
    return url.startsWith("file:")
        ? new FileRuleRepository(FileRules.toPath(url))
        : DatabaseRuleRepository.open(url, make);
  }

  /** What people call it, without any password. */
  String name();

  /** All rules in their order, as they are now. */
  StoredRules content();

  /**
   * Makes these all the rules there are, in one step.
   *
   * @param who whom the history names for it
   * @param expectedRevision that of the content this is a change of
   * @return the revision of the rules now
   */
  long replace(List<Rule> rules, String who, long expectedRevision);

  @Override
  default void close() {}

  /**
   * What a home holds.
   *
   * @param revision that of all rules together; 0 if none is kept
   * @param rejected what is wrong with rules that somebody made bad there, by id; what they were
   *     before serves
   */
  record StoredRules(long revision, List<StoredRule> entries, Map<String, String> rejected) {
    public List<Rule> rules() {
      return entries.stream().map(StoredRule::rule).toList();
    }

    /** As it stands after the name of the home; empty if none is kept. */
    public String revisionSuffix() {
      return revision == 0 ? "" : ", revision " + revision;
    }
  }

  /**
   * One rule in its home.
   *
   * @param revision that of its last change; 0 if none is kept
   */
  record StoredRule(Rule rule, long revision) {}
}
