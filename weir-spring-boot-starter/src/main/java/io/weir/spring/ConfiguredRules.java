package io.weir.spring;

import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.RulesListener;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.text.InvalidConfigurationException;
import java.util.List;
import org.springframework.core.env.Environment;

/**
 * The rules that are written, opened: those of properties, or of the file or database that {@code
 * weir.rules} names, which are followed as they change.
 *
 * @param name where they come from, for people
 * @param reloadable whether they may change
 * @param closeAction ends following them
 */
record ConfiguredRules(RuleSource source, String name, boolean reloadable, Runnable closeAction)
    implements AutoCloseable {

  /**
   * @throws StartFailureException with everything that is wrong
   */
  static ConfiguredRules open(Environment environment, List<RulesListener> listeners) {
    RulesPropertyReader written = new RulesPropertyReader(environment);
    String address = written.address().orElse("");
    RulesListener[] all = listeners.toArray(new RulesListener[0]);
    try {
      if (address.isEmpty()) {
        return new ConfiguredRules(RuleSet.of(1, written.rules()), "weir.rules", false, () -> {});
      }
      if (address.startsWith("file:")) {
        FileRules file = FileRules.open(address, all);
        return new ConfiguredRules(file, address, true, file::close);
      }
      if (address.startsWith("jdbc:")) {
        return openDatabase(address, all);
      }
    } catch (InvalidConfigurationException e) {
      throw StartFailureException.ofProblems(e.problems());
    } catch (DatabaseException e) {
      throw new StartFailureException(
          "Weir cannot read its rules: " + e.getMessage(), "Start the database first.", e);
    }
    throw new StartFailureException(
        "weir.rules is '" + address + "', which is neither rules nor a place of rules.",
        "Write a list of rules, file:rules.yaml, jdbc:postgresql://… or jdbc:h2:….",
        null);
  }

  private static ConfiguredRules openDatabase(String address, RulesListener[] listeners) {
    try {
      DatabaseRules database = DatabaseRules.open(address, listeners);
      return new ConfiguredRules(
          database, StoreFactory.maskPassword(address), true, database::close);
    } catch (NoClassDefFoundError e) {
      throw new StartFailureException(
          "Weir is to read its rules from a database, but " + e.getMessage() + " is missing.",
          "Add com.zaxxer:HikariCP and the driver, org.postgresql:postgresql or com.h2database:h2.",
          e);
    }
  }

  @Override
  public void close() {
    closeAction.run();
  }
}
