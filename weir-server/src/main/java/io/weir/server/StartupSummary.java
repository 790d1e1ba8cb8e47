package io.weir.server;

import io.weir.rule.RuleSource;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.StoreHealth;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** What a server says of itself at its start, in one screen: its store, its rules, its doors. */
final class StartupSummary {
  private static final List<String> LISTENER_NAMES = List.of("http", "grpc", "gateway", "admin");

  private StartupSummary() {}

  /**
   * @param token the admin token if it was made for this run, and so must be shown; else empty
   */
  static String render(
      ServerConfig config, ServerContext backend, List<HttpListener> doors, String token) {
    RuleSource rules = backend.rules;
    StringBuilder out = new StringBuilder("Weir, node " + backend.nodeName + "\n");
    appendLine(out, "store", store(config, backend.store.health()));
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
                rules.staleness().isZero() ? "" : ", from the copy of the last good ones"));
    for (String name : LISTENER_NAMES) {
      String door =
          doors.stream()
              .filter(d -> d.name().equals(name))
              .map(d -> url(d) + "   " + purpose(name))
              .findAny()
              .orElse("closed");
      appendLine(out, name, door);
    }
    if (!token.isEmpty() && doors.stream().anyMatch(d -> d.name().equals("admin"))) {
      appendLine(out, "token", token + "   for administration, made for this run");
    }
    return out.toString();
  }

  private static String store(ServerConfig config, StoreHealth health) {
    String url = config.get(ServerSettings.STORE);
    if (url.equals("memory")) {
      return "memory: counters of this process, kept in " + config.get(ServerSettings.DATA);
    }
    return withoutPassword(url)
        + ": "
        + (health.available() ? health.state() : "AWAY, rules answer by their posture");
  }

  /** A URL without its password. */
  static String withoutPassword(String url) {
    return url.replaceAll("(//[^/@:]*):[^/@]*@", "$1:…@")
        .replaceAll("(?i)(password=)[^&;]*", "$1…");
  }

  private static String url(HttpListener door) {
    String host = isAnyAddress(door.host()) ? "127.0.0.1" : door.host();
    String scheme = door.isTls() ? "https" : "http";
    return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + door.port();
  }

  private static boolean isAnyAddress(String host) {
    return host.equals("0.0.0.0") || host.equals("::");
  }

  private static String purpose(String door) {
    return switch (door) {
      case "http" -> "decision API: POST /v1/check";
      case "grpc" -> "Envoy's rate limit service";
      case "gateway" -> "limits, then forwards";
      default -> "dashboard, health, metrics, administration";
    };
  }

  private static void appendLine(StringBuilder out, String name, String text) {
    out.append("  %-8s %s%n".formatted(name, text));
  }

  /** The name of this host, for a node that was given none. */
  static String hostName() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9_-]", "-");
      return name.isEmpty() ? "node" : name;
    } catch (UnknownHostException e) {
      return "node";
    }
  }
}
