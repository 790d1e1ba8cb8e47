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
 * The configured rules: those in properties, or those of the file or database that {@code
 * weir.rules} names. Rules of a file or database are reloaded when they change.
 *
 * @param name where the rules come from, for messages
 * @param reloadable whether the rules are reloaded when they change
 * @param closeAction stops reloading
 */
record ConfiguredRules(RuleSource source, String name, boolean reloadable, Runnable closeAction)
    implements AutoCloseable {

  /**
   * @throws StartFailureException with all problems found
   */
  static ConfiguredRules open(Environment environment, List<RulesListener> listeners) {
    RulesPropertyReader property = new RulesPropertyReader(environment);
    String address = property.address().orElse("");
    RulesListener[] all = listeners.toArray(new RulesListener[0]);
    try {
      if (address.isEmpty()) {
        return new ConfiguredRules(RuleSet.of(1, property.rules()), "weir.rules", false, () -> {});
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
          "Weir cannot read its rules: " + e.getMessage(),
          "Check that the database is running.",
          e);
    }
    throw new StartFailureException(
        "weir.rules must be a list of rules or a file: or jdbc: address (was '" + address + "').",
        "Set weir.rules to a list, file:rules.yaml, jdbc:postgresql://… or jdbc:h2:….",
        null);
  }

  private static ConfiguredRules openDatabase(String address, RulesListener[] listeners) {
    try {
      DatabaseRules database = DatabaseRules.open(address, listeners);
      return new ConfiguredRules(
          database, StoreFactory.maskPassword(address), true, database::close);
    } catch (NoClassDefFoundError e) {
      throw new StartFailureException(
          "weir.rules names a database, but the class " + e.getMessage() + " is missing.",
          "Add com.zaxxer:HikariCP and a driver, org.postgresql:postgresql or com.h2database:h2.",
          e);
    }
  }

  @Override
  public void close() {
    closeAction.run();
  }
}
