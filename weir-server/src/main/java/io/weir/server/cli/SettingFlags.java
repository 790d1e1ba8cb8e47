package io.weir.server.cli;

import io.weir.server.config.Config;
import io.weir.server.config.Setting;
import io.weir.server.config.Settings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A flag for each setting of the server, and one for the file of them. */
final class SettingFlags {
  private static final String CONFIG = "--config";

  private SettingFlags() {}

  /** Gives a command all of them. */
  static CommandSpec addTo(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(CONFIG)
            .paramLabel("FILE")
            .type(Path.class)
            .description("Reads settings from this YAML file.")
            .build());
    for (Setting<?> setting : Settings.all()) {
      String usual = setting.usual().isEmpty() ? "" : " (" + setting.usual() + ")";
      spec.addOption(
          OptionSpec.builder("--" + setting.flag())
              .paramLabel(setting.takes())
              .type(String.class)
              .description(setting.help() + usual)
              .build());
    }
    return spec;
  }

  /** What a command that has them was told. */
  static Config read(CommandSpec spec, Map<String, String> environment) {
    Map<String, String> flags = new HashMap<>();
    for (Setting<?> setting : Settings.all()) {
      String value = spec.findOption("--" + setting.flag()).getValue();
      if (value != null) {
        flags.put(setting.flag(), value);
      }
    }
    Path file = spec.findOption(CONFIG).getValue();
    return Config.read(flags, environment, Optional.ofNullable(file));
  }
}
