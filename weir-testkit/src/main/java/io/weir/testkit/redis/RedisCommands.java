package io.weir.testkit.redis;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands to one server, one after the other, over a connection that is kept while it holds. */
final class RedisCommands implements AutoCloseable {
  private static final String REQUIRES = "requirepass ";

  private final int port;
  private final String password;
  private @Nullable RespConnection kept;

  RedisCommands(int port, List<String> settings) {
    this.port = port;
    password =
        settings.stream()
            .filter(setting -> setting.startsWith(REQUIRES))
            .map(setting -> setting.substring(REQUIRES.length()))
            .findFirst()
            .orElse("");
  }

  /** The reply, an error being thrown as an IllegalStateException with its text. */
  synchronized @Nullable Object send(Duration patience, String... words) {
    Object reply = exchange(patience, words);
    if (reply instanceof IllegalStateException e) {
      throw e;
    }
    return reply;
  }

  @Override
  public synchronized void close() {
    RespConnection connection = kept;
    kept = null;
    if (connection != null) {
      connection.close();
    }
  }

  private @Nullable Object exchange(Duration patience, String... words) {
    boolean fresh = kept == null;
    try {
      if (kept == null) {
        kept = connect(patience);
      }
      return kept.send(patience, words);
    } catch (IOException e) {
      close();
      // the server may have closed an idle connection, which shows only now
      if (!fresh && (e instanceof EOFException || e instanceof SocketException)) {
        return exchange(patience, words);
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
