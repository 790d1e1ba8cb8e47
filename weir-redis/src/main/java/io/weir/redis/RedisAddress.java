package io.weir.redis;

import io.lettuce.core.RedisURI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis deployment as configured: {@code
 * redis://[user:password@]host:port[/database]}, {@code
 * redis-sentinel://host:port,host:port/master}, {@code redis-cluster://host:port,host:port}; with
 * {@code rediss} instead of {@code redis} over TLS.
 *
 * @param kind single server, sentinels or cluster
 * @param nodes the servers, the sentinels or some nodes of the cluster
 */
record RedisAddress(RedisAddressKind kind, List<RedisURI> nodes, String text) {
  private static final Pattern URL_PATTERN =
      Pattern.compile(
          "(rediss?)(-sentinel|-cluster)?://(?:([^@/]*)@)?([^/?@]+)(?:/([^/?]*))?(?:\\?(.*))?");
  private static final Pattern HOST_PATTERN =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(?::([0-9]{1,5}))?");
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final int DEFAULT_PORT = 6379;
  private static final int DEFAULT_SENTINEL_PORT = 26379;

  enum RedisAddressKind {
    SINGLE,
    SENTINEL,
    CLUSTER
  }

  /** Parses an address; error messages never contain the password. */
  static RedisAddress parse(String url) {
    Matcher match = URL_PATTERN.matcher(url);
    if (!match.matches()) {
      throw invalidAddress(url, "must be a Redis URL", "redis://host:port");
    }
    boolean tls = match.group(1).equals("rediss");
    boolean verify = true;
    if (match.group(6) != null) {
      if (!match.group(6).matches("verify=(true|false)")) {
        throw invalidAddress(
            url,
            "must not have a setting other than verify=true or verify=false",
            "rediss://host:port?verify=false");
      }
      verify = match.group(6).endsWith("true");
    }
    String kindText = match.group(2) == null ? "" : match.group(2);
    RedisAddressKind kind =
        switch (kindText) {
          case "-sentinel" -> RedisAddressKind.SENTINEL;
          case "-cluster" -> RedisAddressKind.CLUSTER;
          default -> RedisAddressKind.SINGLE;
        };
    List<RedisURI> nodes = new ArrayList<>();
    for (String host : match.group(4).split(",", -1)) {
      Matcher hostMatch = HOST_PATTERN.matcher(host);
      if (!hostMatch.matches()
          || (hostMatch.group(2) != null && Integer.parseInt(hostMatch.group(2)) > 65_535)) {
        throw invalidAddress(url, "must list its hosts as host:port", "redis://host:port");
      }
      int port = kind == RedisAddressKind.SENTINEL ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
      RedisURI.Builder node =
          RedisURI.builder()
              .withHost(hostMatch.group(1))
              .withPort(hostMatch.group(2) == null ? port : Integer.parseInt(hostMatch.group(2)))
              .withSsl(tls)
              .withVerifyPeer(verify)
              .withTimeout(CONNECT_TIMEOUT);
      if (kind != RedisAddressKind.SENTINEL) {
        setCredentials(node, match.group(3));
      }
      nodes.add(node.build());
    }
    String path = match.group(5) == null ? "" : match.group(5);
    return switch (kind) {
      case SINGLE -> parseSingle(url, nodes, path);
      case CLUSTER -> {
        if (!path.isEmpty()) {
          throw invalidAddress(
              url,
              "must not name a database, since a cluster has none",
              "redis-cluster://host:port");
        }
        yield new RedisAddress(kind, nodes, maskCredentials(url));
      }
      case SENTINEL -> parseSentinel(url, nodes, path, match.group(3), tls, verify);
    };
  }

  private static RedisAddress parseSingle(String url, List<RedisURI> nodes, String path) {
    if (nodes.size() > 1) {
      throw invalidAddress(
          url,
          "must begin with redis-sentinel:// or redis-cluster:// to list several servers",
          "redis-cluster://host:port,host:port");
    }
    if (!path.matches("[0-9]{0,4}")) {
      throw invalidAddress(url, "must name its database by number", "redis://host:port/0");
    }
    nodes.get(0).setDatabase(path.isEmpty() ? 0 : Integer.parseInt(path));
    return new RedisAddress(RedisAddressKind.SINGLE, nodes, maskCredentials(url));
  }

  private static RedisAddress parseSentinel(
      String url,
      List<RedisURI> nodes,
      String master,
      @Nullable String credentials,
      boolean tls,
      boolean verify) {
    if (master.isEmpty()) {
      throw invalidAddress(
          url, "must name a master", "redis-sentinel://host:port,host:port/master");
    }
    RedisURI.Builder all =
        RedisURI.builder().withSentinelMasterId(master).withTimeout(CONNECT_TIMEOUT);
    nodes.forEach(all::withSentinel);
    setCredentials(all, credentials);
    all.withSsl(tls).withVerifyPeer(verify);
    return new RedisAddress(RedisAddressKind.SENTINEL, List.of(all.build()), maskCredentials(url));
  }

  private static void setCredentials(RedisURI.Builder uri, @Nullable String credentials) {
    if (credentials == null || credentials.isEmpty()) {
      return;
    }
    int colon = credentials.indexOf(':');
    String user = colon < 0 ? "" : percentDecode(credentials.substring(0, colon));
    String password = percentDecode(credentials.substring(colon + 1));
    if (user.isEmpty()) {
      uri.withPassword(password.toCharArray());
    } else {
      uri.withAuthentication(user, password.toCharArray());
    }
  }

  private static String percentDecode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) { // not as the cause: its message quotes the password
      throw new IllegalArgumentException(
          "user and password of a store must be percent-encoded, for example %25 for %");
    }
  }

  /** Returns the address without any part that may be a password, even if it is malformed. */
  private static String maskCredentials(String url) {
    int atSign = url.lastIndexOf('@');
    int slashes = url.indexOf("//");
    int start = slashes < 0 || slashes > atSign ? 0 : slashes + 2;
    return atSign < 0 ? url : url.substring(0, start) + "***" + url.substring(atSign);
  }

  private static IllegalArgumentException invalidAddress(String url, String rule, String example) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "store %s (was '%s'), for example %s",
            rule,
            maskCredentials(url),
            example));
  }

  @Override
  public String toString() {
    return text;
  }
}
