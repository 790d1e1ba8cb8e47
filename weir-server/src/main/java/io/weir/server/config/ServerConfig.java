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
 * The configuration of a server: a value for every {@link ServerSettings setting}. Flags override
 * environment variables, which override the file, which overrides the defaults. Immutable.
 */
public final class ServerConfig {
  private static final Logger LOG = System.getLogger(ServerConfig.class.getName());

  private final Map<ServerSetting<?>, Object> values;

  private ServerConfig(Map<ServerSetting<?>, Object> values) {
    this.values = values;
  }

  /** The text of a setting, and the place it comes from. */
  private record RawSettingValue(String text, ConfigurationProblem source) {}

  /**
   * Reads flags, environment and file.
   *
   * @param flags values by the setting's flag, without dashes
   * @throws InvalidConfigurationException with all problems and their places
   */
  public static ServerConfig read(
      Map<String, String> flags, Map<String, String> environment, Optional<Path> file) {
    warnAboutMisspelledVariables(environment);
    List<ConfigurationProblem> problems = new ArrayList<>();
    Map<String, RawSettingValue> texts = new HashMap<>();
    file.ifPresent(f -> texts.putAll(readFile(f)));
    for (ServerSetting<?> setting : ServerSettings.all()) {
      String variable = environment.get(setting.environmentVariable());
      if (variable != null) {
        texts.put(
            setting.path(),
            new RawSettingValue(variable, problemAt(setting.environmentVariable())));
      }
      String flag = flags.get(setting.flag());
      if (flag != null) {
        texts.put(setting.path(), new RawSettingValue(flag, problemAt("--" + setting.flag())));
      }
    }
    Map<ServerSetting<?>, Object> values = new HashMap<>();
    for (ServerSetting<?> setting : ServerSettings.all()) {
      RawSettingValue text =
          texts.getOrDefault(
              setting.path(), new RawSettingValue(setting.defaultText(), problemAt("default")));
      try {
        values.put(setting, setting.parser().apply(text.text()));
      } catch (IllegalArgumentException e) {
        problems.add(withReason(text.source(), String.valueOf(e.getMessage())));
      }
    }
    if (problems.isEmpty()) {
      return new ServerConfig(values);
    }
    throw new InvalidConfigurationException(problems);
  }

  /**
   * Logs variables that look like misspelled settings. Unknown ones are allowed, since others, such
   * as Kubernetes, set variables that begin with {@code WEIR_} too.
   */
  private static void warnAboutMisspelledVariables(Map<String, String> environment) {
    List<String> known =
        ServerSettings.all().stream().map(ServerSetting::environmentVariable).toList();
    for (String name : new TreeSet<>(environment.keySet())) {
      if (name.startsWith("WEIR_") && !known.contains(name)) {
        NameSuggestion.closest(name, known)
            .ifPresent(
                near ->
                    LOG.log(Level.WARNING, "{0} is not a setting; did you mean {1}?", name, near));
      }
    }
  }

  /** Returns the defaults with these flags, for tests and the demo. */
  public static ServerConfig of(Map<String, String> flags) {
    return read(flags, Map.of(), Optional.empty());
  }

  /** Returns the value of a setting. */
  @SuppressWarnings("unchecked") // the value comes from the parser of the setting
  public <T> T get(ServerSetting<T> setting) {
    return (T) Objects.requireNonNull(values.get(setting), setting.path());
  }

  private static Map<String, RawSettingValue> readFile(Path file) {
    ProblemCollector problems = new ProblemCollector(file.toString());
    Map<String, RawSettingValue> texts = new LinkedHashMap<>();
    try {
      String text = TextDecoder.decode(Files.readAllBytes(file), problems);
      YamlReader.read(text, problems).ifPresent(tree -> flatten("", tree, file, texts, problems));
    } catch (IOException e) {
      throw problems.fatal(
          SourcePosition.WHOLE_FILE, "cannot be read; use the path of a readable file");
    }
    if (problems.hasProblems()) {
      throw problems.toException();
    }
    return texts;
  }

  private static void flatten(
      String path,
      ParsedValue value,
      Path file,
      Map<String, RawSettingValue> texts,
      ProblemCollector problems) {
    List<String> known = ServerSettings.all().stream().map(ServerSetting::path).toList();
    boolean routes =
        path.equals(ServerSettings.ROUTES.path()) || path.equals(ServerSettings.UPSTREAM.path());
    if (value instanceof ParsedValue.MapValue map && !(routes && known.contains(path))) {
      for (ParsedValue.MapEntry field : map.fields()) {
        String inner = path.isEmpty() ? field.name() : path + "." + field.name();
        boolean isPrefix =
            known.stream().anyMatch(k -> k.equals(inner) || k.startsWith(inner + "."));
        if (isPrefix) {
          flatten(inner, field.value(), file, texts, problems);
        } else {
          problems.add(
              field.position(),
              "",
              inner,
              "is not a setting; " + NameSuggestion.hint(inner, known));
        }
      }
    } else if (!known.contains(path)) {
      problems.add(
          value.position(),
          "",
          path,
          "must be name: value (was " + value.typeName() + "), for example store: memory");
    } else {
      ConfigurationProblem at =
          new ConfigurationProblem(
              file.toString(), value.position().line(), value.position().column(), "", path, "");
      boolean isTarget = path.equals(ServerSettings.UPSTREAM.path());
      texts.put(path, new RawSettingValue(isTarget ? toRouteTarget(value) : toText(value), at));
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
            ",", map.fields().stream().map(f -> f.name() + "=" + toRouteTarget(f.value())).toList())
        : "";
  }

  /** The text of a target: its upstreams, separated by spaces, and its options. */
  private static String toRouteTarget(ParsedValue value) {
    if (value instanceof ParsedValue.ListValue list) {
      return String.join(" ", list.items().stream().map(ServerConfig::toText).toList());
    }
    if (!(value instanceof ParsedValue.MapValue map)) {
      return toText(value);
    }
    StringBuilder target = new StringBuilder();
    for (ParsedValue.MapEntry field : map.fields()) {
      if (field.name().equals("upstream")) {
        target.insert(0, toRouteTarget(field.value()));
      } else {
        target.append(';').append(field.name()).append('=').append(toText(field.value()));
      }
    }
    return target.toString();
  }

  private static ConfigurationProblem problemAt(String place) {
    return new ConfigurationProblem(place, 0, 0, "", "", "");
  }

  private static ConfigurationProblem withReason(ConfigurationProblem at, String reason) {
    return new ConfigurationProblem(
        at.file(), at.line(), at.column(), at.rule(), at.field(), reason);
  }
}
