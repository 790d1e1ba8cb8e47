package io.weir.server;

import io.weir.rule.RuleSource;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.StoreHealth;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.OptionalInt;

/** Formats the summary that a server prints at startup: its store, rules and listeners. */
final class StartupSummary {
  private static final List<String> LISTENER_NAMES = List.of("http", "grpc", "gateway", "admin");

  private StartupSummary() {}

  /**
   * @param token the admin token if it was generated for this run and must be printed; else empty
   */
  static String render(
      ServerConfig config,
      ServerContext context,
      List<HttpListener> listeners,
      OptionalInt respPort,
      String token) {
    RuleSource rules = context.rules;
    StringBuilder out = new StringBuilder("Weir, node " + context.nodeName + "\n");
    appendLine(out, "store", store(config, context.store.health()));
    int count = rules.current().rules().size();
    appendLine(
        out,
        "rules",
        "%s: %d %s, revision %d%s"
            .formatted(
                withoutPassword(config.get(ServerSettings.RULES)),
                count,
                count == 1 ? "rule" : "rules",
                rules.current().revision(),
                rules.staleness().isZero() ? "" : ", from the copy of the last good rules"));
    for (String name : LISTENER_NAMES) {
      String text =
          listeners.stream()
              .filter(d -> d.name().equals(name))
              .map(d -> url(d) + "   " + purpose(name))
              .findAny()
              .orElse("closed");
      appendLine(out, name, text);
    }
    respPort.ifPresent(
        port -> {
          String host = config.get(ServerSettings.RESP_HOST);
          appendLine(
              out,
              "resp",
              (isAnyAddress(host) ? "127.0.0.1" : host)
                  + ":"
                  + port
                  + "   CL.THROTTLE for clients of redis-cell");
        });
    if (!token.isEmpty() && listeners.stream().anyMatch(d -> d.name().equals("admin"))) {
      appendLine(out, "token", token + "   admin token, generated for this run");
    }
    return out.toString();
  }

  private static String store(ServerConfig config, StoreHealth health) {
    String url = config.get(ServerSettings.STORE);
    if (url.equals("memory")) {
      return "memory: counters of this process, saved in " + config.get(ServerSettings.DATA);
    }
    return withoutPassword(url)
        + ": "
        + (health.available() ? health.state() : "UNAVAILABLE, rules use their fallback");
  }

  /** Returns a URL without its password. */
  static String withoutPassword(String url) {
    return url.replaceAll("(//[^/@:]*):[^/@]*@", "$1:…@")
        .replaceAll("(?i)(password=)[^&;]*", "$1…");
  }

  private static String url(HttpListener listener) {
    String host = isAnyAddress(listener.host()) ? "127.0.0.1" : listener.host();
    String scheme = listener.isTls() ? "https" : "http";
    return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + listener.port();
  }

  private static boolean isAnyAddress(String host) {
    return host.equals("0.0.0.0") || host.equals("::");
  }

  private static String purpose(String listener) {
    return switch (listener) {
      case "http" -> "decision API: POST /v1/check";
      case "grpc" -> "Envoy rate limit service";
      case "gateway" -> "rate-limiting reverse proxy";
      default -> "dashboard, health, metrics, administration";
    };
  }

  private static void appendLine(StringBuilder out, String name, String text) {
    out.append("  %-8s %s%n".formatted(name, text));
  }

  /** The host name, used as the node's name if none is configured. */
  static String hostName() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9_-]", "-");
      return name.isEmpty() ? "node" : name;
    } catch (UnknownHostException e) {
      return "node";
    }
  }
}
