package io.weir.server;

import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.rules.lint.RuleLint;
import io.weir.rules.lint.RuleLint.LintWarning;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Logs the warnings about rules at the start and after each change; each warning once. */
final class RuleWarnings implements RulesListener {
  private static final Logger LOG = System.getLogger(RuleWarnings.class.getName());
  private static final int MAX_LOGGED = 100;

  private final List<String> headers;
  private Set<LintWarning> known = new HashSet<>();

  /**
   * @param headers the header fields that become attributes
   */
  RuleWarnings(List<String> headers) {
    this.headers = headers;
  }

  @Override
  public synchronized void changed(RuleSet current) {
    Set<LintWarning> found = new HashSet<>();
    for (LintWarning warning : RuleLint.check(current.rules(), headers)) {
      if (found.size() < MAX_LOGGED && found.add(warning) && !known.contains(warning)) {
        LOG.log(Level.WARNING, "rule {0}", warning);
      }
    }
    known = found;
  }

  @Override
  public void rejected(String reason) {}
}
