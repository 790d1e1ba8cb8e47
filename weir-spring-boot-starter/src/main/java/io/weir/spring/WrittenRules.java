package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.Problem;
import io.weir.rules.text.TextException;
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
final class WrittenRules {
  private static final ConfigurationPropertyName NAME = ConfigurationPropertyName.of("weir.rules");

  private final Environment environment;

  WrittenRules(Environment environment) {
    this.environment = environment;
  }

  /** Where the rules are kept, if not in properties. */
  Optional<String> address() {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      ConfigurationProperty scalar = source.getConfigurationProperty(NAME);
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
   * @throws StartFailure with everything that is wrong
   */
  List<Rule> rules() {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (hasRules(source)) {
        return read((IterableConfigurationPropertySource) source);
      }
      if (source.getConfigurationProperty(NAME) != null) {
        return List.of();
      }
    }
    return List.of();
  }

  private static boolean hasRules(ConfigurationPropertySource source) {
    return source instanceof IterableConfigurationPropertySource
        && source.containsDescendantOf(NAME) == ConfigurationPropertyState.PRESENT;
  }

  private List<Rule> read(IterableConfigurationPropertySource source) {
    PropertyTree tree = new PropertyTree();
    for (ConfigurationPropertyName name : source) {
      ConfigurationProperty property =
          NAME.isAncestorOf(name) ? source.getConfigurationProperty(name) : null;
      if (property != null) {
        String value = environment.resolvePlaceholders(String.valueOf(property.getValue()));
        tree.add(name, NAME.getNumberOfElements(), value, property.getOrigin());
      }
    }
    RulesText text = RulesText.of(tree);
    try {
      return Rules.read("weir.rules", text.toString());
    } catch (TextException e) {
      List<Problem> placed = e.problems().stream().map(text::placed).toList();
      throw StartFailure.of(placed);
    }
  }
}
