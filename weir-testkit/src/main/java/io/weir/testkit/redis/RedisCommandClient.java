package io.weir.testkit.redis;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends commands to one server, one at a time, over a connection that is reused. */
final class RedisCommandClient implements AutoCloseable {
  private static final String REQUIREPASS_SETTING = "requirepass ";

  private final int port;
  private final String password;
  private @Nullable RespConnection openConnection;

  RedisCommandClient(int port, List<String> settings) {
    this.port = port;
    password =
        settings.stream()
            .filter(setting -> setting.startsWith(REQUIREPASS_SETTING))
            .map(setting -> setting.substring(REQUIREPASS_SETTING.length()))
            .findFirst()
            .orElse("");
  }

  /** Returns the reply; throws an error reply as an IllegalStateException with its text. */
  synchronized @Nullable Object send(Duration timeout, String... arguments) {
    Object reply = sendWithRetry(timeout, arguments);
    if (reply instanceof IllegalStateException e) {
      throw e;
    }
    return reply;
  }

  @Override
  public synchronized void close() {
    RespConnection connection = openConnection;
    openConnection = null;
    if (connection != null) {
      connection.close();
    }
  }

  private @Nullable Object sendWithRetry(Duration timeout, String... arguments) {
    boolean fresh = openConnection == null;
    try {
      if (openConnection == null) {
        openConnection = connect(timeout);
      }
      return openConnection.send(timeout, arguments);
    } catch (IOException e) {
      close();
      // the server may have closed the idle connection before
      if (!fresh && (e instanceof EOFException || e instanceof SocketException)) {
        return sendWithRetry(timeout, arguments);
      }
      throw new UncheckedIOException("no reply to " + arguments[0] + " from port " + port, e);
    }
  }

  private RespConnection connect(Duration timeout) throws IOException {
    RespConnection connection = new RespConnection(port);
    if (!password.isEmpty()) {
      connection.send(timeout, "AUTH", password);
    }
    return connection;
  }
}
