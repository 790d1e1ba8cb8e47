package io.weir.server.cli;

import io.weir.server.Server;
import io.weir.server.config.Config;
import io.weir.server.config.Setting;
import io.weir.server.config.Settings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the server until it is told to stop; every setting is a flag. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "Runs the server until Ctrl-C or SIGTERM.",
      "",
      "Every flag is also a variable (--http-port is WEIR_HTTP_PORT) and a line of the file",
      "(http: {port: 8080}). A flag wins over the variable, the variable over the file."
    })
final class Serve implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Reads settings from this YAML file.")
  @Nullable Path file;

  @Spec CommandSpec spec;

  /** The command with a flag for each setting. */
  static CommandSpec spec() {
    CommandSpec spec = CommandSpec.forAnnotatedObject(new Serve());
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

  @Override
  public Integer call() throws InterruptedException {
    Config config = Config.read(flags(), System.getenv(), Optional.ofNullable(file));
    Running running = Running.until(() -> Server.start(config), () -> {});
    spec.commandLine().getOut().println(running.server().summary());
    spec.commandLine().getOut().flush();
    running.await();
    return 0;
  }

  private Map<String, String> flags() {
    Map<String, String> flags = new HashMap<>();
    for (Setting<?> setting : Settings.all()) {
      String value = spec.findOption("--" + setting.flag()).getValue();
      if (value != null) {
        flags.put(setting.flag(), value);
      }
    }
    return flags;
  }
}
