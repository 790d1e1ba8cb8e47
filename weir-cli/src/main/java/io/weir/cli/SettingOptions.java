package io.weir.cli;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command line options of the server: one per setting, and one for the settings file. */
final class SettingOptions {
  private static final String CONFIG_OPTION = "--config";

  private SettingOptions() {}

  /** Adds all options to a command. */
  static CommandSpec addTo(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(CONFIG_OPTION)
            .paramLabel("FILE")
            .type(Path.class)
            .description("Reads settings from this YAML file.")
            .build());
    return addTo(spec, ServerSettings.all());
  }

  /** Adds the options of some settings to a command. */
  static CommandSpec addTo(CommandSpec spec, List<ServerSetting<?>> settings) {
    for (ServerSetting<?> setting : settings) {
      String defaultText =
          setting.defaultText().isEmpty() ? "" : " (" + setting.defaultText() + ")";
      spec.addOption(
          OptionSpec.builder("--" + setting.flag())
              .paramLabel(setting.valueLabel())
              .type(String.class)
              .description(setting.help() + defaultText)
              .build());
    }
    return spec;
  }

  /** Reads the configuration from the options of a command, the environment and the file. */
  static ServerConfig read(CommandSpec spec, Map<String, String> environment) {
    Map<String, String> flags = flags(spec);
    Path file = spec.findOption(CONFIG_OPTION).getValue();
    return ServerConfig.read(flags, environment, Optional.ofNullable(file));
  }

  /** Returns the values of the settings that are given as options of a command, by flag. */
  static Map<String, String> flags(CommandSpec spec) {
    Map<String, String> flags = new HashMap<>();
    for (ServerSetting<?> setting : ServerSettings.all()) {
      OptionSpec option = spec.findOption("--" + setting.flag());
      String value = option == null ? null : option.getValue();
      if (value != null) {
        flags.put(setting.flag(), value);
      }
    }
    return flags;
  }
}
