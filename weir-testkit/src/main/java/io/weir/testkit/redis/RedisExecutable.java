package io.weir.testkit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/** Finds the redis-server program: the configured one, or else that of embedded-redis. */
final class RedisExecutable {
  private RedisExecutable() {}

  static String path() {
    String configured = configuredPath();
    if (configured != null) {
      return configured;
    }
    try {
      return EmbeddedRedisServer.PATH.toString();
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "no redis-server: add org.signal:embedded-redis to the test class path, or set"
              + " -Dweir.redis.server or WEIR_REDIS_SERVER to an executable",
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

  /** A separate class, since the dependency is optional; unpacks the program only once. */
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
