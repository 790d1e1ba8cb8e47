package io.weir.testkit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/** The redis-server program: the one that was named, or else the one embedded-redis carries. */
final class RedisExecutable {
  private RedisExecutable() {}

  static String path() {
    String named = configuredPath();
    if (named != null) {
      return named;
    }
    try {
      return EmbeddedRedisServer.PATH.toString();
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "no redis-server: add org.signal:embedded-redis to the test class path, or name an"
              + " executable in -Dweir.redis.server or WEIR_REDIS_SERVER",
          e);
    }
  }

  private static @Nullable String configuredPath() {
    String property = System.getProperty("weir.redis.server", "");
    if (!property.isBlank()) {
      return property;
    }
    String variable = System.getenv("WEIR_REDIS_SERVER");
    return variable == null || variable.isBlank() ? null : variable;
  }

  /** Apart from the rest, since the dependency is optional; once, since it unpacks megabytes. */
  private static final class EmbeddedRedisServer {
    static final Path PATH = unpack();

    private static Path unpack() {
      try {
        return RedisExecProvider.defaultProvider().get().toPath();
      } catch (IOException e) {
        throw new UncheckedIOException("embedded-redis could not unpack its redis-server", e);
      }
    }
  }
}
