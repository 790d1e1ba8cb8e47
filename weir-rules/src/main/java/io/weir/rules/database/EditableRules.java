package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rules that can be changed while they are in force, with a history, and what is stored beside
 * them: API keys, traffic counts and the nodes. Thread-safe.
 */
public interface EditableRules extends RuleSource {

  /** Returns the rules if they can be changed; empty if they are read from a file, for example. */
  static Optional<EditableRules> of(RuleSource rules) {
    return rules instanceof EditableRules editable ? Optional.of(editable) : Optional.empty();
  }

  /**
   * Returns the revision of the last change of a rule, as loaded by this node; 0 if there is no
   * such rule.
   *
   * <p>It is never newer than the rule in {@link #current}: a caller that reads first the revision
   * and then the rule changes the version it has read, or its change is rejected.
   */
  long revision(String id);

  /**
   * Returns the problems of rules that were made invalid in the database itself, by id; until they
   * are corrected their last good versions stay in force.
   */
  Map<String, String> rejected();

  /** Returns the API keys of the same database. */
  ApiKeys keys();

  /** Returns the traffic counts of all nodes of the same database. */
  TrafficTable traffic();

  /** Returns the nodes that share the same database. */
  NodeRegistry nodes();

  /**
   * Creates or replaces a rule; a new rule is appended.
   *
   * @param expectedRevision the {@link #revision(String)} of the version to replace; 0 for a new
   *     rule
   * @return the new revision of the rule
   * @throws StaleRevisionException if the rule was changed since
   * @throws DatabaseException if the database is unavailable
   */
  long put(Rule rule, String who, long expectedRevision);

  /**
   * Deletes a rule.
   *
   * @return the new revision of the rules
   * @throws StaleRevisionException if the rule was changed since, or does not exist
   * @throws DatabaseException if the database is unavailable
   */
  long delete(String id, String who, long expectedRevision);

  /**
   * Replaces all rules atomically by these, in this order: other rules are deleted, equal rules are
   * not touched.
   *
   * @param expectedRevision the revision of the {@linkplain #current rules} to replace
   * @return the new revision of the rules
   * @throws StaleRevisionException if any rule was changed since
   * @throws DatabaseException if the database is unavailable
   */
  long replace(Collection<Rule> rules, String who, long expectedRevision);

  /** Returns the changes of a rule, the latest first, also if the rule is deleted. */
  List<RuleChange> history(String id);

  /**
   * Reverts the last change of a rule; reverting twice restores the change.
   *
   * @return the new revision of the rules
   * @throws IllegalArgumentException if the rule has no history, or was invalid before
   * @throws DatabaseException if the database is unavailable
   */
  long undo(String id, String who);

  /**
   * As {@link #undo(String, String)}, if the last change has the given revision.
   *
   * @param revision the {@link RuleChange#revision} of the change to revert
   * @throws StaleRevisionException if the rule was changed since
   */
  long undo(String id, String who, long revision);
}
