package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * What {@code weir.rules} says: an address such as {@code file:rules.yaml}, or rules.
 *
 * <p>Rules are read as those of a file are, by the same reader, so that the same words mean the
 * same and what is wrong is said in the same way, at its place in the application's own file. Of
 * several sources of properties the first that has rules counts, whole, as for any list.
 */
final class RulesPropertyReader {
  private static final ConfigurationPropertyName RULES_PROPERTY =
      ConfigurationPropertyName.of("weir.rules");

  private final Environment environment;

  RulesPropertyReader(Environment environment) {
    this.environment = environment;
  }

  /** Where the rules are kept, if not in properties. */
  Optional<String> address() {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      ConfigurationProperty scalar = source.getConfigurationProperty(RULES_PROPERTY);
      if (scalar != null) {
        String text = environment.resolveRequiredPlaceholders(String.valueOf(scalar.getValue()));
        return text.isBlank() ? Optional.empty() : Optional.of(text.strip());
      }
      if (hasRules(source)) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /**
   * The rules in properties, in their order.
   *
   * @throws StartFailureException with everything that is wrong
   */
  List<Rule> rules() {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (hasRules(source)) {
        return read((IterableConfigurationPropertySource) source);
      }
      if (source.getConfigurationProperty(RULES_PROPERTY) != null) {
        return List.of();
      }
    }
    return List.of();
  }

  private static boolean hasRules(ConfigurationPropertySource source) {
    return source instanceof IterableConfigurationPropertySource
        && source.containsDescendantOf(RULES_PROPERTY) == ConfigurationPropertyState.PRESENT;
  }

  private List<Rule> read(IterableConfigurationPropertySource source) {
    PropertyTree tree = new PropertyTree();
    for (ConfigurationPropertyName name : source) {
      ConfigurationProperty property =
          RULES_PROPERTY.isAncestorOf(name) ? source.getConfigurationProperty(name) : null;
      if (property != null) {
        String value = environment.resolvePlaceholders(String.valueOf(property.getValue()));
        tree.add(name, RULES_PROPERTY.getNumberOfElements(), value, property.getOrigin());
      }
    }
    RulesPropertyJson text = RulesPropertyJson.of(tree);
    try {
      return Rules.read("weir.rules", text.toString());
    } catch (InvalidConfigurationException e) {
      List<ConfigurationProblem> placed = e.problems().stream().map(text::withOrigin).toList();
      throw StartFailureException.ofProblems(placed);
    }
  }
}
