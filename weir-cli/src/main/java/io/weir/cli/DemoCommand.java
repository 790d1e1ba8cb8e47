package io.weir.cli;

import io.weir.redis.RedisStore;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.DecisionServer;
import io.weir.server.StartException;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code weir demo}: runs a server with embedded defaults and sample rules, and prints commands to
 * try. Its files are in a temporary folder, which is deleted when it stops.
 */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs a server with embedded defaults and sample rules, and prints commands to try.",
      "Ctrl-C stops it and deletes its files. If a default port is in use, it takes a free one instead.",
      "",
      "Every variable of weir serve applies (WEIR_HTTP_PORT, WEIR_STORE, …); flags override variables.",
      "With --rules the sample rules are left out."
    },
    footer = {"  weir demo", "  weir demo --http-port 9000 --admin-port 9001 --grpc-port off"},
    exitCodeList = {"0:stopped", "1:startup failed"})
final class DemoCommand implements Callable<Integer> {
  private static final String SAMPLE_RULES =
      """
      rules:
        - {id: health-checks, action: allow, match: {endpoint: "GET /health"}}
        - {id: five-a-minute, match: {user: "*"}, per: [user], limit: 5/minute}
        - {id: orders-free-tier, match: {endpoint: "GET /v1/orders/**", tier: free}, per: [user], missing: address, limit: [2/second, 20/minute]}
        - {id: login, match: {endpoint: "POST /login"}, per: [ip], limit: 3/minute, algorithm: sliding-log, on-store-failure: closed}
        - {id: gateway-per-address, match: {endpoint: "GET /**"}, per: [ip], limit: 5/10s}
        - {id: thinking-of-tightening, match: {user: "*"}, per: [user], limit: 2/minute, shadow: true}
      """;

  private static final String DASHBOARD_SUGGESTION =
      """
      Dashboard: open http://127.0.0.1:%d and sign in with the admin token. The demo generates a
      little traffic of its own.

      """;
  private static final String CHECK_SUGGESTION =
      """
      %s

        curl -i http://127.0.0.1:%d/v1/check -d '{"attributes":{"user":"42"}}'

      or

        ./weir check user=42 --server http://127.0.0.1:%d

      """;
  private static final String GATEWAY_SUGGESTION =
      """
      %s

        curl -i http://127.0.0.1:%d/hello

      """;
  private static final String METRICS_SUGGESTION =
      """
      Decisions by rule:

        curl -s http://127.0.0.1:%d/metrics | grep weir_decisions

      """;

  private static final List<ServerSetting<OptionalInt>> PORTS =
      List.of(
          ServerSettings.HTTP_PORT,
          ServerSettings.GRPC_PORT,
          ServerSettings.GATEWAY_PORT,
          ServerSettings.ADMIN_PORT);

  @Spec CommandSpec spec;

  @Option(
      names = "--train",
      hidden = true,
      description = "Starts, warms up and stops, for a JVM that records the classes it loads.")
  boolean trainingRun;

  private final Map<String, String> environment;

  private DemoCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Returns the command, with flags for the settings that a demo needs. */
  static CommandSpec spec(Map<String, String> environment) {
    List<ServerSetting<?>> settings = new ArrayList<>(PORTS);
    settings.addAll(
        List.of(
            ServerSettings.ADMIN_TOKEN,
            ServerSettings.STORE,
            ServerSettings.RULES,
            ServerSettings.UPSTREAM));
    return SettingOptions.addTo(
        CommandSpec.forAnnotatedObject(new DemoCommand(environment)), settings);
  }

  @Override
  public Integer call() throws InterruptedException {
    Path folder = createTempFolder();
    EchoServer echo = new EchoServer();
    ForegroundServer running =
        ForegroundServer.start(
            () -> startServer(folder, echo.url()),
            () -> {
              echo.close();
              deleteRecursively(folder);
            });
    if (trainingRun) {
      loadRemainingClasses(running);
      return 0;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(running.summary());
    out.println(suggestions(running));
    out.flush();
    if (running.port("http") == 0) { // the port is off
      running.await();
    } else {
      DemoTraffic traffic = DemoTraffic.start(running.port("http"));
      running.await();
      traffic.close();
    }
    return 0;
  }

  private DecisionServer startServer(Path folder, String upstream) {
    Map<String, String> flags = SettingOptions.flags(spec);
    if (!isGiven(ServerSettings.RULES)) {
      flags.put(ServerSettings.RULES.flag(), createSampleRules(folder));
    }
    putDefault(flags, ServerSettings.DATA, folder.toString());
    putDefault(flags, ServerSettings.NODE, "demo");
    putDefault(flags, ServerSettings.UPSTREAM, upstream);
    for (ServerSetting<OptionalInt> port : PORTS) {
      boolean defaultPort = !trainingRun && isPortFree(Integer.parseInt(port.defaultText()));
      putDefault(flags, port, defaultPort ? port.defaultText() : "0");
    }
    for (ServerSetting<String> host :
        List.of(
            ServerSettings.HTTP_HOST,
            ServerSettings.GRPC_HOST,
            ServerSettings.GATEWAY_HOST,
            ServerSettings.ADMIN_HOST)) {
      putDefault(flags, host, "127.0.0.1");
    }
    return DecisionServer.start(ServerConfig.read(flags, environment, Optional.empty()));
  }

  private static String createSampleRules(Path folder) {
    String url = "jdbc:h2:file:" + folder.resolve("rules").toAbsolutePath();
    try (DatabaseRules database = DatabaseRules.open(url)) {
      Rules.read("demo rules", SAMPLE_RULES).forEach(r -> database.put(r, "demo", 0));
    }
    return url;
  }

  private boolean isGiven(ServerSetting<?> setting) {
    return SettingOptions.flags(spec).containsKey(setting.flag())
        || environment.containsKey(setting.environmentVariable());
  }

  private void putDefault(Map<String, String> flags, ServerSetting<?> setting, String value) {
    if (!isGiven(setting)) {
      flags.put(setting.flag(), value);
    }
  }

  /** Loads the classes that the start does not: of the gateway, and of the Redis client. */
  private static void loadRemainingClasses(ForegroundServer running) {
    try (InputStream reply =
        new URL("http://127.0.0.1:" + running.port("gateway") + "/hello").openStream()) {
      reply.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    RedisStore.at("redis://127.0.0.1:1").open().close();
  }

  /** Returns commands to try, for the ports that are open. */
  private String suggestions(ForegroundServer server) {
    StringBuilder text = new StringBuilder();
    if (server.port("admin") != 0) {
      text.append(DASHBOARD_SUGGESTION.formatted(server.port("admin")));
    }
    if (server.port("http") != 0) {
      text.append(
          CHECK_SUGGESTION.formatted(
              isGiven(ServerSettings.RULES)
                  ? "A decision. Run this in another terminal:"
                  : "Five requests a minute per user. Run this in another terminal, six times:",
              server.port("http"),
              server.port("http")));
    }
    if (server.port("gateway") != 0) {
      text.append(
          GATEWAY_SUGGESTION.formatted(
              isGiven(ServerSettings.RULES) || isGiven(ServerSettings.UPSTREAM)
                  ? "A request through the gateway:"
                  : "Five requests in ten seconds per address, through the gateway to an echo server:",
              server.port("gateway")));
    }
    if (server.port("admin") != 0) {
      text.append(METRICS_SUGGESTION.formatted(server.port("admin")));
    }
    return text.append("Ctrl-C stops it.").toString();
  }

  private static boolean isPortFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static Path createTempFolder() {
    try {
      return Files.createTempDirectory("weir-demo");
    } catch (IOException e) {
      throw new StartException("cannot create a temporary folder: " + e.getMessage(), e);
    }
  }

  private static void deleteRecursively(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
