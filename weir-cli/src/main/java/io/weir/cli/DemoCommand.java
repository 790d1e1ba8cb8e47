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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    description = {
      "Runs a server with embedded defaults and sample rules, and prints commands to try.",
      "Ctrl-C stops it and deletes its files. If a port is in use, it takes a free one instead."
    },
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

  @Spec CommandSpec spec;

  @Option(
      names = "--train",
      hidden = true,
      description = "Starts, warms up and stops, for a JVM that records the classes it loads.")
  boolean trainingRun;

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
    DemoTraffic traffic = DemoTraffic.start(running.port("http"));
    running.await();
    traffic.close();
    return 0;
  }

  private DecisionServer startServer(Path folder, String upstream) {
    String rules = "jdbc:h2:file:" + folder.resolve("rules").toAbsolutePath();
    try (DatabaseRules database = DatabaseRules.open(rules)) {
      Rules.read("demo rules", SAMPLE_RULES).forEach(r -> database.put(r, "demo", 0));
    }
    Map<String, String> flags = new HashMap<>();
    flags.put("rules", rules);
    flags.put("data", folder.toString());
    flags.put("node", "demo");
    flags.put(ServerSettings.UPSTREAM.flag(), upstream);
    for (ServerSetting<OptionalInt> port :
        List.of(
            ServerSettings.HTTP_PORT,
            ServerSettings.GRPC_PORT,
            ServerSettings.GATEWAY_PORT,
            ServerSettings.ADMIN_PORT)) {
      boolean defaultPort = !trainingRun && isPortFree(Integer.parseInt(port.defaultText()));
      flags.put(port.flag(), defaultPort ? port.defaultText() : "0");
    }
    for (String listener : List.of("http", "grpc", "gateway", "admin")) {
      flags.put(listener + "-host", "127.0.0.1");
    }
    return DecisionServer.start(ServerConfig.of(flags));
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

  private static String suggestions(ForegroundServer server) {
    return """
        Dashboard: open http://127.0.0.1:%d and sign in with the token above. The demo generates a
        little traffic of its own.

        Five requests a minute per user. Run this in another terminal, six times:

          curl -i http://127.0.0.1:%d/v1/check -d '{"attributes":{"user":"42"}}'

        or

          ./weir check user=42 --server http://127.0.0.1:%d

        Five requests in ten seconds per address, through the gateway to an echo server:

          curl -i http://127.0.0.1:%d/hello

        Decisions by rule:

          curl -s http://127.0.0.1:%d/metrics | grep weir_decisions

        Ctrl-C stops it."""
        .formatted(
            server.port("admin"),
            server.port("http"),
            server.port("http"),
            server.port("gateway"),
            server.port("admin"));
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
