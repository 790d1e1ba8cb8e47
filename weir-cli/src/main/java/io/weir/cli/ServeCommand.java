package io.weir.cli;

import io.weir.server.DecisionServer;
import io.weir.server.config.ServerConfig;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir serve}: runs the server until it is stopped; every setting is a flag. */
@Command(
    name = "serve",
    sortOptions = false,
    description = {
      "Runs the server until Ctrl-C or SIGTERM.",
      "",
      "Every flag is also an environment variable (--http-port is WEIR_HTTP_PORT) and a key of the file",
      "(http: {port: 8080}). Flags override variables, which override the file."
    },
    footer = {
      "  weir serve",
      "  weir serve --store redis://127.0.0.1:6379 --rules file:rules.yaml",
      "  WEIR_ADMIN_TOKEN=… weir serve --config weir.yaml --http-port 80 --grpc-port off"
    },
    exitCodeList = {"0:stopped", "1:startup failed"})
final class ServeCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  private final Map<String, String> environment;

  private ServeCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Returns the command, with a flag for each setting. */
  static CommandSpec spec(Map<String, String> environment) {
    return SettingOptions.addTo(CommandSpec.forAnnotatedObject(new ServeCommand(environment)));
  }

  @Override
  public Integer call() throws InterruptedException {
    ServerConfig config = SettingOptions.read(spec, environment);
    ForegroundServer running = ForegroundServer.start(() -> DecisionServer.start(config), () -> {});
    spec.commandLine().getOut().println(running.summary());
    spec.commandLine().getOut().flush();
    running.await();
    return 0;
  }
}
