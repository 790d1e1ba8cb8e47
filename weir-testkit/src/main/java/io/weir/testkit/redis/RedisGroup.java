package io.weir.testkit.redis;

import io.weir.testkit.Soon;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Servers that belong together: found by port, waited for and ended as one. */
final class RedisGroup implements AutoCloseable {
  private static final Duration FORMING = Duration.ofSeconds(30);

  private final List<RedisProcess> servers = new ArrayList<>();

  RedisProcess add(List<String> flags, String... settings) {
    RedisProcess server = RedisProcess.start(flags, List.of(settings));
    servers.add(server);
    return server;
  }

  List<RedisProcess> servers() {
    return List.copyOf(servers);
  }

  RedisProcess at(int port) {
    return servers.stream()
        .filter(server -> server.port() == port)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("none of these servers has port " + port));
  }

  /** Waits until all are so far; in vain, it says which is not, with what that one tells. */
  static void await(List<RedisProcess> servers, Predicate<String> ready, String... question) {
    for (RedisProcess server : servers) {
      if (!Soon.comes(FORMING, () -> ready.test(ask(server, question)))) {
        throw new IllegalStateException(
            server.uri() + " does not come to be ready, it says: " + ask(server, question));
      }
    }
  }

  static String ask(RedisProcess server, String... question) {
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
