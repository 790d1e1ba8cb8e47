package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three freshly started nodes, one Redis and all clients on one overloaded machine, at default
 * settings: exactly the limit is admitted and no decision is degraded. Prints the time that the
 * requests took. System properties: {@code -Dweir.cold.rounds=10} runs more rounds, {@code
 * -Dweir.cold.launcher=./weir} starts the nodes by a launcher, of this or of another checkout.
 */
@Tag("slow")
@Timeout(600)
class ColdStartTest {
  private static final Duration STARTUP_TIMEOUT = Duration.ofMinutes(2);
  private static final int NODES = 3;
  private static final int REQUESTS = 1800;
  private static final int LIMIT = 1000;
  private static final int ROUNDS = Integer.getInteger("weir.cold.rounds", 1);

  @ParameterizedTest(name = "{0}, {1} clients")
  @CsvSource({"http, 48", "http, 8", "grpc, 48", "grpc, 8"})
  void coldNodesOnBusyMachine_admitExactlyTheLimit(
      String protocol, int clients, @TempDir Path folder) throws Exception {
    List<Integer> admissions = new ArrayList<>();
    long degraded = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Path own = Files.createDirectory(folder.resolve("round-" + round));
      List<ServerProcess> nodes = new ArrayList<>();
      try (RedisProcess redis = RedisProcess.start()) {
        for (int i = 0; i < NODES; i++) {
          nodes.add(ServerProcess.start(own.resolve("node-" + i), protocol, redis.uri()));
        }
        for (ServerProcess node : nodes) {
          Await.until(STARTUP_TIMEOUT, "it is ready", node::isReady);
        }
        long begin = System.nanoTime();
        int admitted = countAdmitted(nodes, clients);
        double seconds = (System.nanoTime() - begin) / 1e9;
        long degradedBefore = degraded;
        for (ServerProcess node : nodes) {
          degraded += node.degradedDecisions();
        }
        admissions.add(admitted);
        System.out.printf(
            "%s, %d clients, round %d: %d admitted, %d degraded, %.2f s%n",
            protocol, clients, round + 1, admitted, degraded - degradedBefore, seconds);
      } finally {
        nodes.forEach(ServerProcess::close);
      }
    }
    assertThat(admissions).containsOnly(LIMIT);
    assertThat(degraded).as("degraded").isZero();
  }

  private static int countAdmitted(List<ServerProcess> nodes, int clients) throws Exception {
    AtomicInteger next = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Integer>> parts = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        ServerProcess node = nodes.get(i % nodes.size());
        parts.add(
            pool.submit(
                () -> {
                  int own = 0;
                  while (next.getAndIncrement() < REQUESTS) {
                    own += node.isAdmitted() ? 1 : 0;
                  }
                  return own;
                }));
      }
      int sum = 0;
      for (Future<Integer> part : parts) {
        sum += part.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  /** A server process and a client to it. */
  private static final class ServerProcess implements AutoCloseable {
    private static final RateLimitRequest CALL =
        RateLimitRequest.newBuilder()
            .setDomain("any")
            .addDescriptors(
                RateLimitDescriptor.newBuilder()
                    .addEntries(
                        RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("42")))
            .build();

    private final Process process;
    private final Path folder;
    private final String protocol;
    private final HttpClient client = HttpClient.newHttpClient();
    private @Nullable ManagedChannel channel;
    private int port;

    private ServerProcess(Process process, Path folder, String protocol) {
      this.process = process;
      this.folder = folder;
      this.protocol = protocol;
    }

    static ServerProcess start(Path folder, String protocol, String redis) throws IOException {
      Files.createDirectory(folder);
      Path rules =
          Files.writeString(
              folder.resolve("rules.yaml"), "rules: [{id: shared, limit: " + LIMIT + "/day}]");
      boolean grpc = protocol.equals("grpc");
      ProcessBuilder builder = new ProcessBuilder(launcher());
      builder
          .command()
          .addAll(
              List.of(
                  "serve",
                  "--store=" + redis,
                  "--rules=file:" + rules,
                  "--data=" + folder,
                  "--node=" + folder.getFileName(),
                  "--http-port=" + (grpc ? "off" : "0"),
                  "--grpc-port=" + (grpc ? "0" : "off"),
                  "--gateway-port=off",
                  "--admin-port=0"));
      builder.directory(folder.toFile());
      builder.redirectOutput(folder.resolve("out").toFile());
      builder.redirectError(folder.resolve("err").toFile());
      return new ServerProcess(builder.start(), folder, protocol);
    }

    /** Returns the configured launcher, or this JVM with its class path. */
    private static List<String> launcher() {
      String launcher = System.getProperty("weir.cold.launcher");
      return new ArrayList<>(
          launcher != null
              ? List.of(launcher)
              : List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx300m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName()));
    }

    /** Returns the port of an endpoint from the output of the server; 0 until it is ready. */
    private int port(String endpoint) {
      try {
        String out = Files.readString(folder.resolve("out"), UTF_8);
        Matcher line = Pattern.compile("(?m)^ *" + endpoint + " +\\S*:(\\d+)").matcher(out);
        return line.find() ? Integer.parseInt(line.group(1)) : 0;
      } catch (IOException e) {
        return 0;
      }
    }

    boolean isReady() {
      assertThat(process.isAlive()).isTrue();
      port = port(protocol);
      return port > 0 && port("admin") > 0;
    }

    boolean isAdmitted() throws Exception {
      return protocol.equals("grpc") ? isAdmittedByGrpc() : isAdmittedByHttp();
    }

    private boolean isAdmittedByHttp() throws Exception {
      URI uri = URI.create("http://127.0.0.1:" + port + "/v1/check");
      int status =
          client
              .send(
                  HttpRequest.newBuilder(uri)
                      .POST(BodyPublishers.ofString(RunningServer.checkBody("42", 1)))
                      .build(),
                  BodyHandlers.ofString())
              .statusCode();
      assertThat(status).isIn(200, 429);
      return status == 200;
    }

    private boolean isAdmittedByGrpc() {
      RateLimitResponse reply =
          RateLimitServiceGrpc.newBlockingStub(channel()).shouldRateLimit(CALL);
      return reply.getOverallCode() == RateLimitResponse.Code.OK;
    }

    private synchronized ManagedChannel channel() {
      ManagedChannel open = channel;
      if (open == null) {
        open = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        channel = open;
      }
      return open;
    }

    /** Returns the number of decisions answered by fallbacks. */
    long degradedDecisions() throws Exception {
      URI uri = URI.create("http://127.0.0.1:" + port("admin") + "/metrics");
      String page =
          client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
      return page.lines()
          .filter(line -> line.startsWith("weir_degraded_decisions_total{"))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }

    @Override
    public void close() {
      ManagedChannel open = channel;
      if (open != null) {
        open.shutdownNow();
      }
      process.destroyForcibly();
      process.onExit().join();
    }
  }
}
