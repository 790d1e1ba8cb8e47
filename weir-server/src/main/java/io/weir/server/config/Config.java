package io.weir.server.config;

import io.weir.rules.text.Nearest;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problem;
import io.weir.rules.text.Problems;
import io.weir.rules.text.TextException;
import io.weir.rules.text.Unprintable;
import io.weir.rules.text.Written;
import io.weir.rules.text.Yaml;
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
 * What the server was told: a value for every {@link Settings setting}. A flag wins over the
 * environment, the environment over the file, the file over the default. Immutable.
 */
public final class Config {
  private static final Logger LOG = System.getLogger(Config.class.getName());

  private final Map<Setting<?>, Object> values;

  private Config(Map<Setting<?>, Object> values) {
    this.values = values;
  }

  /** One text for a setting, and where it was said. */
  private record Said(String text, Problem at) {}

  /**
   * Reads all three.
   *
   * @param flags by the setting's flag, without dashes
   * @throws TextException with everything that is wrong, and where
   */
  public static Config read(
      Map<String, String> flags, Map<String, String> environment, Optional<Path> file) {
    doubt(environment);
    List<Problem> wrong = new ArrayList<>();
    Map<String, Said> said = new HashMap<>();
    file.ifPresent(f -> said.putAll(fromFile(f)));
    for (Setting<?> setting : Settings.all()) {
      String variable = environment.get(setting.variable());
      if (variable != null) {
        said.put(setting.path(), new Said(variable, whole(setting.variable())));
      }
      String flag = flags.get(setting.flag());
      if (flag != null) {
        said.put(setting.path(), new Said(flag, whole("--" + setting.flag())));
      }
    }
    Map<Setting<?>, Object> values = new HashMap<>();
    for (Setting<?> setting : Settings.all()) {
      Said text = said.getOrDefault(setting.path(), new Said(setting.usual(), whole("default")));
      try {
        values.put(setting, setting.reader().apply(text.text()));
      } catch (IllegalArgumentException e) {
        wrong.add(because(text.at(), String.valueOf(e.getMessage())));
      }
    }
    if (wrong.isEmpty()) {
      return new Config(values);
    }
    throw new TextException(wrong);
  }

  /** Says which variables are nearly ours; others set variables of such names too. */
  private static void doubt(Map<String, String> environment) {
    List<String> known = Settings.all().stream().map(Setting::variable).toList();
    for (String name : new TreeSet<>(environment.keySet())) {
      if (name.startsWith("WEIR_") && !known.contains(name)) {
        Nearest.to(name, known)
            .ifPresent(
                near -> LOG.log(Level.WARNING, "{0} is not known; did you mean {1}?", name, near));
      }
    }
  }

  /** All defaults but for these flags, for tests and the demonstration. */
  public static Config of(Map<String, String> flags) {
    return read(flags, Map.of(), Optional.empty());
  }

  /** What it was told of one setting. */
  @SuppressWarnings("unchecked") // its own reader made the value
  public <T> T get(Setting<T> setting) {
    return (T) Objects.requireNonNull(values.get(setting), setting.path());
  }

  private static Map<String, Said> fromFile(Path file) {
    Problems problems = new Problems(file.toString());
    Map<String, Said> said = new LinkedHashMap<>();
    try {
      String text = Unprintable.text(Files.readAllBytes(file), problems);
      Yaml.read(text, problems).ifPresent(tree -> flatten("", tree, file, said, problems));
    } catch (IOException e) {
      throw problems.fatal(Place.FILE, "cannot be read; write the path of a file that can");
    }
    if (problems.any()) {
      throw problems.exception();
    }
    return said;
  }

  private static void flatten(
      String path, Written value, Path file, Map<String, Said> said, Problems problems) {
    List<String> known = Settings.all().stream().map(Setting::path).toList();
    boolean routes = path.equals(Settings.ROUTES.path());
    if (value instanceof Written.Fields map && !(routes && known.contains(path))) {
      for (Written.Field field : map.fields()) {
        String inner = path.isEmpty() ? field.name() : path + "." + field.name();
        boolean leads = known.stream().anyMatch(k -> k.equals(inner) || k.startsWith(inner + "."));
        if (leads) {
          flatten(inner, field.value(), file, said, problems);
        } else {
          problems.add(field.at(), "", inner, "is not known; " + Nearest.hint(inner, known));
        }
      }
    } else if (!known.contains(path)) {
      problems.add(
          value.at(),
          "",
          path,
          "is " + value.kind() + "; write name: value, such as store: memory");
    } else {
      Problem at =
          new Problem(file.toString(), value.at().line(), value.at().column(), "", path, "");
      said.put(path, new Said(text(value), at));
    }
  }

  private static String text(Written value) {
    if (value instanceof Written.Text text) {
      return text.isNull() ? "" : text.value();
    }
    if (value instanceof Written.Items list) {
      return String.join(",", list.items().stream().map(Config::text).toList());
    }
    return value instanceof Written.Fields map
        ? String.join(
            ",", map.fields().stream().map(f -> f.name() + "=" + text(f.value())).toList())
        : "";
  }

  private static Problem whole(String place) {
    return new Problem(place, 0, 0, "", "", "");
  }

  private static Problem because(Problem at, String reason) {
    return new Problem(at.file(), at.line(), at.column(), at.rule(), at.field(), reason);
  }
}
