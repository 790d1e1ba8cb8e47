package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The application's Redis, as {@code spring.data.redis} names it. Read as text, so that it needs no
 * Spring Data and means the same in every Spring Boot.
 *
 * @param url the whole address, which stands above the parts
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

  /** How TLS is spoken. */
  record RedisSslSettings(@Nullable Boolean enabled, @Nullable String bundle) {}

  /** Who knows the master. */
  record RedisSentinelSettings(
      @Nullable String master,
      @Nullable List<String> nodes,
      @Nullable String username,
      @Nullable String password) {}

  /** Some nodes of a cluster. */
  record RedisClusterSettings(@Nullable List<String> nodes) {}

  /**
   * The address of that Redis, as Weir writes it; empty if the application names none.
   *
   * @throws StartFailureException if it is named in a way that cannot be taken over
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
        "Weir cannot take over " + PREFIX + "." + setting + ".",
        "Write weir.store: rediss://user:password@host:port (or redis-sentinel://, redis-cluster://)"
            + " for the same Redis, or weir.store: memory to count in each instance alone.",
        null);
  }
}
