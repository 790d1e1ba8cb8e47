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
 * Reads {@code weir.rules}: an address such as {@code file:rules.yaml}, or a list of rules.
 *
 * <p>A list is converted to text and parsed by the reader of rule files, so that the syntax and the
 * messages are the same; problems are reported at their position in the application's own file. As
 * for any list property, the first property source that has rules provides all of them.
 */
final class RulesPropertyReader {
  private static final ConfigurationPropertyName RULES_PROPERTY =
      ConfigurationPropertyName.of("weir.rules");

  private final Environment environment;

  RulesPropertyReader(Environment environment) {
    this.environment = environment;
  }

  /** Returns the address of the rules; empty if they are in properties or missing. */
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
   * Returns the rules in properties, in their order.
   *
   * @throws StartFailureException with all problems found
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
    RulesPropertyJson json = RulesPropertyJson.of(tree);
    try {
      return Rules.read("weir.rules", json.toString());
    } catch (InvalidConfigurationException e) {
      List<ConfigurationProblem> problems = e.problems().stream().map(json::withOrigin).toList();
      throw StartFailureException.ofProblems(problems);
    }
  }
}
