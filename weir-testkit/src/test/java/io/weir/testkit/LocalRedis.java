package io.weir.testkit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import redis.embedded.RedisServer;

/** A real Redis of the tests' own, on a free loopback port, ended with the test. */
final class LocalRedis implements AutoCloseable {
  private final RedisServer server;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  LocalRedis() throws IOException {
    int port = freePort();
    server =
        RedisServer.builder()
            .port(port)
            .setting("bind 127.0.0.1")
            .setting("save \"\"")
            .setting("busy-reply-threshold 60000")
            .build();
    server.start();
    client = RedisClient.create("redis://127.0.0.1:" + port);
    connection = client.connect();
  }

  String load(String script) {
    return connection.sync().scriptLoad(script);
  }

  String eval(String sha, String argument) {
    return connection.sync().evalsha(sha, ScriptOutputType.VALUE, new String[0], argument);
  }

  @Override
  public void close() throws IOException {
    connection.close();
    client.shutdown();
    server.stop();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
