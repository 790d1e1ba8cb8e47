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
 * Where a Redis is, as users write it: {@code redis://[user:password@]host:port[/database]}, {@code
 * redis-sentinel://host:port,host:port/master}, {@code redis-cluster://host:port,host:port}; with
 * {@code rediss} instead of {@code redis} over TLS.
 *
 * @param kind which of the three
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

  /** Reads an address; what is wrong with one is said without its password. */
  static RedisAddress parse(String url) {
    Matcher m = URL_PATTERN.matcher(url);
    if (!m.matches()) {
      throw invalidAddress(url, "is not a store; write redis://host:port");
    }
    boolean tls = m.group(1).equals("rediss");
    boolean verify = true;
    if (m.group(6) != null) {
      if (!m.group(6).matches("verify=(true|false)")) {
        throw invalidAddress(url, "has an unknown setting; only ?verify=false is known");
      }
      verify = m.group(6).endsWith("true");
    }
    String kindText = m.group(2) == null ? "" : m.group(2);
    RedisAddressKind kind =
        switch (kindText) {
          case "-sentinel" -> RedisAddressKind.SENTINEL;
          case "-cluster" -> RedisAddressKind.CLUSTER;
          default -> RedisAddressKind.SINGLE;
        };
    List<RedisURI> nodes = new ArrayList<>();
    for (String host : m.group(4).split(",", -1)) {
      Matcher h = HOST_PATTERN.matcher(host);
      if (!h.matches() || (h.group(2) != null && Integer.parseInt(h.group(2)) > 65_535)) {
        throw invalidAddress(url, "has a host that cannot be; write host:port");
      }
      int port = kind == RedisAddressKind.SENTINEL ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
      RedisURI.Builder node =
          RedisURI.builder()
              .withHost(h.group(1))
              .withPort(h.group(2) == null ? port : Integer.parseInt(h.group(2)))
              .withSsl(tls)
              .withVerifyPeer(verify)
              .withTimeout(CONNECT_TIMEOUT);
      if (kind != RedisAddressKind.SENTINEL) {
        setCredentials(node, m.group(3));
      }
      nodes.add(node.build());
    }
    String path = m.group(5) == null ? "" : m.group(5);
    return switch (kind) {
      case SINGLE -> parseSingle(url, nodes, path);
      case CLUSTER -> {
        if (!path.isEmpty()) {
          throw invalidAddress(url, "names a database, of which a cluster has none; leave it out");
        }
        yield new RedisAddress(kind, nodes, maskCredentials(url));
      }
      case SENTINEL -> parseSentinel(url, nodes, path, m.group(3), tls, verify);
    };
  }

  private static RedisAddress parseSingle(String url, List<RedisURI> nodes, String path) {
    if (nodes.size() > 1) {
      throw invalidAddress(
          url, "names several servers; write redis-sentinel:// or redis-cluster://");
    }
    if (!path.matches("[0-9]{0,4}")) {
      throw invalidAddress(url, "has a database that is not a number; write redis://host:port/0");
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
          url, "names no master; write redis-sentinel://host:port,host:port/master");
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
    } catch (IllegalArgumentException e) { // whose message quotes the password
      throw new IllegalArgumentException(
          "a store's user or password has a % that means nothing; write it %25");
    }
  }

  /** The address without anything that may be a password, however it is misspelt. */
  private static String maskCredentials(String url) {
    int at = url.lastIndexOf('@');
    int slashes = url.indexOf("//");
    int from = slashes < 0 || slashes > at ? 0 : slashes + 2;
    return at < 0 ? url : url.substring(0, from) + "***" + url.substring(at);
  }

  private static IllegalArgumentException invalidAddress(String url, String reason) {
    return new IllegalArgumentException(
        String.format(Locale.ROOT, "store '%s' %s", maskCredentials(url), reason));
  }

  @Override
  public String toString() {
    return text;
  }
}
