package io.weir.testkit.redis;

import io.weir.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A group of servers that are looked up by port, awaited and closed together. */
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

  /** Waits until all servers are ready; on timeout, names one that is not, with its last reply. */
  static void awaitReady(List<RedisProcess> servers, Predicate<String> ready, String... command) {
    for (RedisProcess server : servers) {
      if (!Await.isTrueWithin(READY_TIMEOUT, () -> ready.test(textReply(server, command)))) {
        throw new IllegalStateException(
            server.uri() + " is not ready, last reply: " + textReply(server, command));
      }
    }
  }

  static String textReply(RedisProcess server, String... command) {
    return String.valueOf(server.command(command));
  }

  /** Returns the first three servers in the form of a URI. */
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
