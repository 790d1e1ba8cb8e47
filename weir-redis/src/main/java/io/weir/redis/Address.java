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
record Address(Kind kind, List<RedisURI> nodes, String text) {
  private static final Pattern FORM =
      Pattern.compile(
          "(rediss?)(-sentinel|-cluster)?://(?:([^@/]*)@)?([^/?@]+)(?:/([^/?]*))?(?:\\?(.*))?");
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(?::([0-9]{1,5}))?");
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int PORT = 6379;
  private static final int SENTINEL_PORT = 26379;

  enum Kind {
    SINGLE,
    SENTINEL,
    CLUSTER
  }

  /** Reads an address; what is wrong with one is said without its password. */
  static Address parse(String url) {
    Matcher m = FORM.matcher(url);
    if (!m.matches()) {
      throw wrong(url, "is not a store; write redis://host:port");
    }
    boolean tls = m.group(1).equals("rediss");
    boolean verify = true;
    if (m.group(6) != null) {
      if (!m.group(6).matches("verify=(true|false)")) {
        throw wrong(url, "has an unknown setting; only ?verify=false is known");
      }
      verify = m.group(6).endsWith("true");
    }
    String kindText = m.group(2) == null ? "" : m.group(2);
    Kind kind =
        switch (kindText) {
          case "-sentinel" -> Kind.SENTINEL;
          case "-cluster" -> Kind.CLUSTER;
          default -> Kind.SINGLE;
        };
    List<RedisURI> nodes = new ArrayList<>();
    for (String host : m.group(4).split(",", -1)) {
      Matcher h = HOST.matcher(host);
      if (!h.matches() || (h.group(2) != null && Integer.parseInt(h.group(2)) > 65_535)) {
        throw wrong(url, "has a host that cannot be; write host:port");
      }
      int port = kind == Kind.SENTINEL ? SENTINEL_PORT : PORT;
      RedisURI.Builder node =
          RedisURI.builder()
              .withHost(h.group(1))
              .withPort(h.group(2) == null ? port : Integer.parseInt(h.group(2)))
              .withSsl(tls)
              .withVerifyPeer(verify)
              .withTimeout(PATIENCE);
      if (kind != Kind.SENTINEL) {
        authenticate(node, m.group(3));
      }
      nodes.add(node.build());
    }
    String path = m.group(5) == null ? "" : m.group(5);
    return switch (kind) {
      case SINGLE -> single(url, nodes, path);
      case CLUSTER -> {
        if (!path.isEmpty()) {
          throw wrong(url, "names a database, of which a cluster has none; leave it out");
        }
        yield new Address(kind, nodes, hide(url));
      }
      case SENTINEL -> sentinel(url, nodes, path, m.group(3), tls, verify);
    };
  }

  private static Address single(String url, List<RedisURI> nodes, String path) {
    if (nodes.size() > 1) {
      throw wrong(url, "names several servers; write redis-sentinel:// or redis-cluster://");
    }
    if (!path.matches("[0-9]{0,4}")) {
      throw wrong(url, "has a database that is not a number; write redis://host:port/0");
    }
    nodes.get(0).setDatabase(path.isEmpty() ? 0 : Integer.parseInt(path));
    return new Address(Kind.SINGLE, nodes, hide(url));
  }

  private static Address sentinel(
      String url,
      List<RedisURI> nodes,
      String master,
      @Nullable String credentials,
      boolean tls,
      boolean verify) {
    if (master.isEmpty()) {
      throw wrong(url, "names no master; write redis-sentinel://host:port,host:port/master");
    }
    RedisURI.Builder all = RedisURI.builder().withSentinelMasterId(master).withTimeout(PATIENCE);
    nodes.forEach(all::withSentinel);
    authenticate(all, credentials);
    all.withSsl(tls).withVerifyPeer(verify);
    return new Address(Kind.SENTINEL, List.of(all.build()), hide(url));
  }

  private static void authenticate(RedisURI.Builder uri, @Nullable String credentials) {
    if (credentials == null || credentials.isEmpty()) {
      return;
    }
    int colon = credentials.indexOf(':');
    String user = colon < 0 ? "" : decode(credentials.substring(0, colon));
    String password = decode(credentials.substring(colon + 1));
    if (user.isEmpty()) {
      uri.withPassword(password.toCharArray());
    } else {
      uri.withAuthentication(user, password.toCharArray());
    }
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) { // whose message quotes the password
      throw new IllegalArgumentException(
          "a store's user or password has a % that means nothing; write it %25");
    }
  }

  /** The address without anything that may be a password, however it is misspelt. */
  private static String hide(String url) {
    int at = url.lastIndexOf('@');
    int slashes = url.indexOf("//");
    int from = slashes < 0 || slashes > at ? 0 : slashes + 2;
    return at < 0 ? url : url.substring(0, from) + "***" + url.substring(at);
  }

  private static IllegalArgumentException wrong(String url, String reason) {
    return new IllegalArgumentException(
        String.format(Locale.ROOT, "store '%s' %s", hide(url), reason));
  }

  @Override
  public String toString() {
    return text;
  }
}
