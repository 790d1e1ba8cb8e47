package io.weir.server.deploy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files under deploy/, and how these tests look into them. */
final class DeployFiles {
  static final Path DIRECTORY = Path.of("..", "deploy");

  private static final Pattern VARIABLE = Pattern.compile("\\bWEIR_[A-Z_]+");

  private DeployFiles() {}

  static String read(String file) throws IOException {
    return Files.readString(DIRECTORY.resolve(file));
  }

  /** The documents of a YAML file, none of which may say a thing twice. */
  static List<Map<?, ?>> readYaml(String file) throws IOException {
    LoadSettings strict = LoadSettings.builder().setAllowDuplicateKeys(false).build();
    List<Map<?, ?>> all = new ArrayList<>();
    new Load(strict).loadAllFromString(read(file)).forEach(one -> all.add((Map<?, ?>) one));
    return all;
  }

  /** What stands at a path of names, and of numbers of a list. */
  static Object at(Object tree, Object... path) {
    Object place = tree;
    for (Object step : path) {
      Object next =
          step instanceof Integer index
              ? ((List<?>) place).get(index)
              : ((Map<?, ?>) place).get(step);
      assertThat(next).as("%s of %s", step, List.of(path)).isNotNull();
      place = requireNonNull(next);
    }
    return place;
  }

  static List<?> list(Object tree, Object... path) {
    return (List<?>) at(tree, path);
  }

  /** All that a text names and the server would not know. */
  static void assertVariablesAreSettings(String text) {
    List<String> known =
        ServerSettings.all().stream().map(ServerSetting::environmentVariable).toList();
    List<String> named = VARIABLE.matcher(text).results().map(MatchResult::group).toList();
    assertThat(named).isNotEmpty();
    assertThat(known).containsAll(named);
  }

  /** Holds a value to what its setting takes. */
  static void assertValueIsValid(String variable, String value) {
    ServerSetting<?> setting =
        ServerSettings.all().stream()
            .filter(s -> s.environmentVariable().equals(variable))
            .findAny()
            .orElseThrow();
    assertThat(setting.parser().apply(value)).as(variable).isNotNull();
  }

  /** The port a door has if nothing is said. */
  static int defaultPort(ServerSetting<?> port) {
    return Integer.parseInt(port.defaultText());
  }
}
