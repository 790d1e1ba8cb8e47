package io.weir.testkit.redis;

import io.weir.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Servers that belong together: found by port, waited for and ended as one. */
final class RedisServerGroup implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);

  private final List<RedisProcess> servers = new ArrayList<>();

  RedisProcess add(List<String> flags, String... settings) {
    RedisProcess server = RedisProcess.start(flags, List.of(settings));
    servers.add(server);
    return server;
  }

  List<RedisProcess> servers() {
    return List.copyOf(servers);
  }

  RedisProcess byPort(int port) {
    return servers.stream()
        .filter(server -> server.port() == port)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("none of these servers has port " + port));
  }

  /** Waits until all are so far; in vain, it says which is not, with what that one tells. */
  static void awaitReady(List<RedisProcess> servers, Predicate<String> ready, String... question) {
    for (RedisProcess server : servers) {
      if (!Await.isTrueWithin(READY_TIMEOUT, () -> ready.test(textReply(server, question)))) {
        throw new IllegalStateException(
            server.uri() + " does not come to be ready, it says: " + textReply(server, question));
      }
    }
  }

  static String textReply(RedisProcess server, String... question) {
    return String.valueOf(server.command(question));
  }

  /** The first three as URIs list them. */
  String hosts() {
    return servers.stream()
        .limit(3)
        .map(server -> "127.0.0.1:" + server.port())
        .collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    servers.forEach(RedisProcess::close);
  }
}
