package io.weir.testkit.redis;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands to one server, one after the other, over a connection that is kept while it holds. */
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

  /** The reply, an error being thrown as an IllegalStateException with its text. */
  synchronized @Nullable Object send(Duration patience, String... words) {
    Object reply = sendWithRetry(patience, words);
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

  private @Nullable Object sendWithRetry(Duration patience, String... words) {
    boolean fresh = openConnection == null;
    try {
      if (openConnection == null) {
        openConnection = connect(patience);
      }
      return openConnection.send(patience, words);
    } catch (IOException e) {
      close();
      // the server may have closed an idle connection, which shows only now
      if (!fresh && (e instanceof EOFException || e instanceof SocketException)) {
        return sendWithRetry(patience, words);
      }
      throw new UncheckedIOException("no reply to " + words[0] + " from port " + port, e);
    }
  }

  private RespConnection connect(Duration patience) throws IOException {
    RespConnection connection = new RespConnection(port);
    if (!password.isEmpty()) {
      connection.send(patience, "AUTH", password);
    }
    return connection;
  }
}
