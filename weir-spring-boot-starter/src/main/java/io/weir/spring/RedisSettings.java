package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The application's Redis from {@code spring.data.redis}. The properties are bound here rather than
 * by Spring Data, so that no Spring Data is needed and every Spring Boot version is supported.
 *
 * @param url the whole address; takes precedence over host, port and the others
 */
record RedisSettings(
    @Nullable String url,
    @Nullable String host,
    @Nullable Integer port,
    @Nullable String username,
    @Nullable String password,
    @Nullable Integer database,
    @Nullable RedisSslSettings ssl,
    @Nullable RedisSentinelSettings sentinel,
    @Nullable RedisClusterSettings cluster) {
  private static final String PREFIX = "spring.data.redis";
  private static final int DEFAULT_PORT = 6379;

  /** TLS settings. */
  record RedisSslSettings(@Nullable Boolean enabled, @Nullable String bundle) {}

  /** Sentinel settings. */
  record RedisSentinelSettings(
      @Nullable String master,
      @Nullable List<String> nodes,
      @Nullable String username,
      @Nullable String password) {}

  /** Cluster settings. */
  record RedisClusterSettings(@Nullable List<String> nodes) {}

  /**
   * Returns the address of the Redis as a Weir store URL; empty if none is configured.
   *
   * @throws StartFailureException if a setting is used that Weir does not support
   */
  static Optional<String> address(Environment environment) {
    RedisSettings settings = Binder.get(environment).bind(PREFIX, RedisSettings.class).orElse(null);
    return settings == null ? Optional.empty() : Optional.ofNullable(settings.address());
  }

  private @Nullable String address() {
    if (ssl != null && ssl.bundle() != null) {
      throw unsupported("ssl.bundle");
    }
    if (sentinel != null && (sentinel.username() != null || sentinel.password() != null)) {
      throw unsupported("sentinel.username and sentinel.password");
    }
    if (url != null) {
      return url;
    }
    if (cluster != null && cluster.nodes() != null) {
      return scheme("-cluster") + String.join(",", cluster.nodes());
    }
    if (sentinel != null && sentinel.nodes() != null) {
      return scheme("-sentinel") + String.join(",", sentinel.nodes()) + "/" + sentinel.master();
    }
    if (host == null && port == null) {
      return null;
    }
    String name = host == null ? "localhost" : host.contains(":") ? "[" + host + "]" : host;
    return scheme("")
        + name
        + ":"
        + (port == null ? DEFAULT_PORT : port)
        + (database == null ? "" : "/" + database);
  }

  private String scheme(String kind) {
    boolean tls = ssl != null && Boolean.TRUE.equals(ssl.enabled());
    String login =
        password == null
            ? ""
            : (username == null ? "" : urlEncode(username)) + ":" + urlEncode(password) + "@";
    return (tls ? "rediss" : "redis") + kind + "://" + login;
  }

  private static String urlEncode(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private static StartFailureException unsupported(String setting) {
    return new StartFailureException(
        "Weir does not support " + PREFIX + "." + setting + ".",
        "Set weir.store: rediss://user:password@host:port (or redis-sentinel://, redis-cluster://)"
            + " for the same Redis, or weir.store: memory to keep counters in each instance.",
        null);
  }
}
