package io.weir.rules.database;

import io.weir.rules.Rules;

/**
 * A process that changes a rule until it is killed, and prints each change when it is acknowledged.
 */
final class RuleChangingProcess {
  static final String FOUND = "found ";
  static final String ACKNOWLEDGED = "acknowledged ";
  static final String RULE_ID = "api";
  private static final int MAX_ATTEMPTS = 20;

  private RuleChangingProcess() {}

  public static void main(String[] arguments) {
    DatabaseRules rules = open(arguments[0]);
    long permits = permits(rules);
    requireWholeChange(rules, permits);
    System.out.println(FOUND + permits);
    while (true) {
      permits++;
      String text = "{id: " + RULE_ID + ", limit: " + permits + "/hour}";
      rules.put(Rules.readOne("test", text), "node-" + permits, rules.revision(RULE_ID));
      System.out.println(ACKNOWLEDGED + permits);
    }
  }

  /** Retries, since a database that recovers on a busy machine may not respond at first. */
  private static DatabaseRules open(String url) {
    for (int attempt = 1; ; attempt++) {
      try {
        return DatabaseRules.open(url);
      } catch (DatabaseException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static long permits(DatabaseRules rules) {
    var rule = rules.current().rule(RULE_ID);
    return rule == null ? 0 : rule.rates().get(0).permits();
  }

  /** Fails unless the row, its history and the revision belong to the same change. */
  private static void requireWholeChange(DatabaseRules rules, long permits) {
    if (permits == 0) {
      return;
    }
    RuleChange last = rules.history(RULE_ID).get(0);
    boolean whole =
        last.revision() == rules.revision(RULE_ID)
            && last.revision() == rules.current().revision()
            && last.who().equals("node-" + permits)
            && last.after().orElseThrow().contains(permits + "/hour");
    if (!whole) {
      throw new IllegalStateException("incomplete change: " + last + " for " + permits);
    }
  }
}
