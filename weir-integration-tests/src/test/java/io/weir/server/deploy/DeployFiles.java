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

/** Reads and checks the files under {@code deploy/}. */
final class DeployFiles {
  static final Path DIRECTORY = Path.of("..", "deploy");

  private static final Pattern VARIABLE = Pattern.compile("\\bWEIR_[A-Z_]+");

  private DeployFiles() {}

  static String read(String file) throws IOException {
    return Files.readString(DIRECTORY.resolve(file));
  }

  /** The documents of a YAML file; duplicate keys are rejected. */
  static List<Map<?, ?>> readYaml(String file) throws IOException {
    LoadSettings strict = LoadSettings.builder().setAllowDuplicateKeys(false).build();
    List<Map<?, ?>> documents = new ArrayList<>();
    new Load(strict)
        .loadAllFromString(read(file))
        .forEach(document -> documents.add((Map<?, ?>) document));
    return documents;
  }

  /** The value at a path of map keys and list indexes. */
  static Object at(Object tree, Object... path) {
    Object current = tree;
    for (Object step : path) {
      Object next =
          step instanceof Integer index
              ? ((List<?>) current).get(index)
              : ((Map<?, ?>) current).get(step);
      assertThat(next).as("%s of %s", step, List.of(path)).isNotNull();
      current = requireNonNull(next);
    }
    return current;
  }

  static List<?> list(Object tree, Object... path) {
    return (List<?>) at(tree, path);
  }

  /** Asserts that all {@code WEIR_} variables in a text are settings of the server. */
  static void assertVariablesAreSettings(String text) {
    List<String> known =
        ServerSettings.all().stream().map(ServerSetting::environmentVariable).toList();
    List<String> named = VARIABLE.matcher(text).results().map(MatchResult::group).toList();
    assertThat(named).isNotEmpty();
    assertThat(known).containsAll(named);
  }

  /** Asserts that a value is valid for the setting of a variable. */
  static void assertValueIsValid(String variable, String value) {
    ServerSetting<?> setting =
        ServerSettings.all().stream()
            .filter(s -> s.environmentVariable().equals(variable))
            .findAny()
            .orElseThrow();
    assertThat(setting.parser().apply(value)).as(variable).isNotNull();
  }

  /** The default port of a listener. */
  static int defaultPort(ServerSetting<?> port) {
    return Integer.parseInt(port.defaultText());
  }
}
