package io.weir.server.config;

import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import io.weir.rules.text.TextDecoder;
import io.weir.rules.text.YamlReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What the server was told: a value for every {@link ServerSettings setting}. A flag wins over the
 * environment, the environment over the file, the file over the default. Immutable.
 */
public final class ServerConfig {
  private static final Logger LOG = System.getLogger(ServerConfig.class.getName());

  private final Map<ServerSetting<?>, Object> values;

  private ServerConfig(Map<ServerSetting<?>, Object> values) {
    this.values = values;
  }

  /** One text for a setting, and where it was said. */
  private record RawSettingValue(String text, ConfigurationProblem source) {}

  /**
   * Reads all three.
   *
   * @param flags by the setting's flag, without dashes
   * @throws InvalidConfigurationException with everything that is wrong, and where
   */
  public static ServerConfig read(
      Map<String, String> flags, Map<String, String> environment, Optional<Path> file) {
    warnAboutMisspelledVariables(environment);
    List<ConfigurationProblem> wrong = new ArrayList<>();
    Map<String, RawSettingValue> said = new HashMap<>();
    file.ifPresent(f -> said.putAll(readFile(f)));
    for (ServerSetting<?> setting : ServerSettings.all()) {
      String variable = environment.get(setting.environmentVariable());
      if (variable != null) {
        said.put(
            setting.path(),
            new RawSettingValue(variable, problemAt(setting.environmentVariable())));
      }
      String flag = flags.get(setting.flag());
      if (flag != null) {
        said.put(setting.path(), new RawSettingValue(flag, problemAt("--" + setting.flag())));
      }
    }
    Map<ServerSetting<?>, Object> values = new HashMap<>();
    for (ServerSetting<?> setting : ServerSettings.all()) {
      RawSettingValue text =
          said.getOrDefault(
              setting.path(), new RawSettingValue(setting.defaultText(), problemAt("default")));
      try {
        values.put(setting, setting.parser().apply(text.text()));
      } catch (IllegalArgumentException e) {
        wrong.add(withReason(text.source(), String.valueOf(e.getMessage())));
      }
    }
    if (wrong.isEmpty()) {
      return new ServerConfig(values);
    }
    throw new InvalidConfigurationException(wrong);
  }

  /** Says which variables are nearly ours; others set variables of such names too. */
  private static void warnAboutMisspelledVariables(Map<String, String> environment) {
    List<String> known =
        ServerSettings.all().stream().map(ServerSetting::environmentVariable).toList();
    for (String name : new TreeSet<>(environment.keySet())) {
      if (name.startsWith("WEIR_") && !known.contains(name)) {
        NameSuggestion.closest(name, known)
            .ifPresent(
                near -> LOG.log(Level.WARNING, "{0} is not known; did you mean {1}?", name, near));
      }
    }
  }

  /** All defaults but for these flags, for tests and the demonstration. */
  public static ServerConfig of(Map<String, String> flags) {
    return read(flags, Map.of(), Optional.empty());
  }

  /** What it was told of one setting. */
  @SuppressWarnings("unchecked") // its own reader made the value
  public <T> T get(ServerSetting<T> setting) {
    return (T) Objects.requireNonNull(values.get(setting), setting.path());
  }

  private static Map<String, RawSettingValue> readFile(Path file) {
    ProblemCollector problems = new ProblemCollector(file.toString());
    Map<String, RawSettingValue> said = new LinkedHashMap<>();
    try {
      String text = TextDecoder.decode(Files.readAllBytes(file), problems);
      YamlReader.read(text, problems).ifPresent(tree -> flatten("", tree, file, said, problems));
    } catch (IOException e) {
      throw problems.fatal(
          SourcePosition.WHOLE_FILE, "cannot be read; write the path of a file that can");
    }
    if (problems.hasProblems()) {
      throw problems.toException();
    }
    return said;
  }

  private static void flatten(
      String path,
      ParsedValue value,
      Path file,
      Map<String, RawSettingValue> said,
      ProblemCollector problems) {
    List<String> known = ServerSettings.all().stream().map(ServerSetting::path).toList();
    boolean routes = path.equals(ServerSettings.ROUTES.path());
    if (value instanceof ParsedValue.MapValue map && !(routes && known.contains(path))) {
      for (ParsedValue.MapEntry field : map.fields()) {
        String inner = path.isEmpty() ? field.name() : path + "." + field.name();
        boolean leads = known.stream().anyMatch(k -> k.equals(inner) || k.startsWith(inner + "."));
        if (leads) {
          flatten(inner, field.value(), file, said, problems);
        } else {
          problems.add(
              field.position(), "", inner, "is not known; " + NameSuggestion.hint(inner, known));
        }
      }
    } else if (!known.contains(path)) {
      problems.add(
          value.position(),
          "",
          path,
          "is " + value.typeName() + "; write name: value, such as store: memory");
    } else {
      ConfigurationProblem at =
          new ConfigurationProblem(
              file.toString(), value.position().line(), value.position().column(), "", path, "");
      said.put(path, new RawSettingValue(toText(value), at));
    }
  }

  private static String toText(ParsedValue value) {
    if (value instanceof ParsedValue.ScalarValue text) {
      return text.isNull() ? "" : text.value();
    }
    if (value instanceof ParsedValue.ListValue list) {
      return String.join(",", list.items().stream().map(ServerConfig::toText).toList());
    }
    return value instanceof ParsedValue.MapValue map
        ? String.join(
            ",", map.fields().stream().map(f -> f.name() + "=" + toText(f.value())).toList())
        : "";
  }

  private static ConfigurationProblem problemAt(String place) {
    return new ConfigurationProblem(place, 0, 0, "", "", "");
  }

  private static ConfigurationProblem withReason(ConfigurationProblem at, String reason) {
    return new ConfigurationProblem(
        at.file(), at.line(), at.column(), at.rule(), at.field(), reason);
  }
}
