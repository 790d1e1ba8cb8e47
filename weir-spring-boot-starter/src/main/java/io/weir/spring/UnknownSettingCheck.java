package io.weir.spring;

import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.NameSuggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds unknown and misspelled settings below {@code weir}. Environment variables and system
 * properties are not checked, since other programs define names there.
 */
final class UnknownSettingCheck {
  private static final ConfigurationPropertyName WEIR_PREFIX = ConfigurationPropertyName.of("weir");
  private static final Map<String, List<String>> KNOWN_SETTINGS =
      Map.of(
          "",
          List.of(
              "mode", "store", "store-deadline", "store-prefix", "rules", "attributes", "identity"),
          "identity",
          List.of("trusted-proxies", "forwarded-by", "v6-bits"));

  private static final Set<String> SYSTEM_SOURCES =
      Set.of(
          StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
          StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);

  private UnknownSettingCheck() {}

  /**
   * @throws StartFailureException with all unknown settings
   */
  static void check(Environment environment) {
    List<ConfigurationProblem> problems = new ArrayList<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource names && !isSystemSource(source)) {
        names.stream().filter(WEIR_PREFIX::isAncestorOf).forEach(name -> check(name, problems));
      }
    }
    StartFailureException.throwIfAny(problems);
  }

  private static boolean isSystemSource(ConfigurationPropertySource source) {
    return source.getUnderlyingSource() instanceof PropertySource<?> underlying
        && SYSTEM_SOURCES.contains(underlying.getName());
  }

  private static void check(ConfigurationPropertyName name, List<ConfigurationProblem> problems) {
    String first = name.getElement(1, Form.DASHED);
    check("", first, problems);
    if (first.equals("identity") && name.getNumberOfElements() > 2) {
      check("identity", name.getElement(2, Form.DASHED), problems);
    }
  }

  private static void check(String parent, String name, List<ConfigurationProblem> problems) {
    List<String> known = KNOWN_SETTINGS.getOrDefault(parent, List.of());
    if (!known.contains(name)) {
      problems.add(
          new ConfigurationProblem(
              "weir" + (parent.isEmpty() ? "" : "." + parent),
              0,
              0,
              "",
              name,
              "is not a setting; " + NameSuggestion.hint(name, known)));
    }
  }
}
