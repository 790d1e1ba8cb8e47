package io.weir.spring;

import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.RulesListener;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.text.TextException;
import java.util.List;
import org.springframework.core.env.Environment;

/**
 * The rules that are written, opened: those of properties, or of the file or database that {@code
 * weir.rules} names, which are followed as they change.
 *
 * @param name where they come from, for people
 * @param followed whether they may change
 * @param ending ends following them
 */
record OpenRules(RuleSource source, String name, boolean followed, Runnable ending)
    implements AutoCloseable {

  /**
   * @throws StartFailure with everything that is wrong
   */
  static OpenRules open(Environment environment, List<RulesListener> listeners) {
    WrittenRules written = new WrittenRules(environment);
    String address = written.address().orElse("");
    RulesListener[] all = listeners.toArray(new RulesListener[0]);
    try {
      if (address.isEmpty()) {
        return new OpenRules(RuleSet.of(1, written.rules()), "weir.rules", false, () -> {});
      }
      if (address.startsWith("file:")) {
        FileRules file = FileRules.open(address, all);
        return new OpenRules(file, address, true, file::close);
      }
      if (address.startsWith("jdbc:")) {
        return database(address, all);
      }
    } catch (TextException e) {
      throw StartFailure.of(e.problems());
    } catch (DatabaseException e) {
      throw new StartFailure(
          "Weir cannot read its rules: " + e.getMessage(), "Start the database first.", e);
    }
    throw new StartFailure(
        "weir.rules is '" + address + "', which is neither rules nor a place of rules.",
        "Write a list of rules, file:rules.yaml, jdbc:postgresql://… or jdbc:h2:….",
        null);
  }

  private static OpenRules database(String address, RulesListener[] listeners) {
    try {
      DatabaseRules database = DatabaseRules.open(address, listeners);
      return new OpenRules(database, OpenStore.shown(address), true, database::close);
    } catch (NoClassDefFoundError e) {
      throw new StartFailure(
          "Weir is to read its rules from a database, but " + e.getMessage() + " is missing.",
          "Add com.zaxxer:HikariCP and the driver, org.postgresql:postgresql or com.h2database:h2.",
          e);
    }
  }

  @Override
  public void close() {
    ending.run();
  }
}
