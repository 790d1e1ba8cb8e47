package io.weir.server;

import io.weir.rule.RuleSource;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.store.Health;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** What a server says of itself at its start, in one screen: its store, its rules, its doors. */
final class Summary {
  private static final List<String> DOORS = List.of("http", "grpc", "gateway", "admin");

  private Summary() {}

  /**
   * @param token the admin token if it was made for this run, and so must be shown; else empty
   */
  static String of(Config config, Backend backend, List<OpenDoor> doors, String token) {
    RuleSource rules = backend.rules;
    StringBuilder out = new StringBuilder("Weir, node " + backend.node + "\n");
    line(out, "store", store(config, backend.store.health()));
    int count = rules.current().rules().size();
    line(
        out,
        "rules",
        "%s: %d %s, revision %d%s"
            .formatted(
                shown(config.get(Settings.RULES)),
                count,
                count == 1 ? "rule" : "rules",
                rules.current().revision(),
                rules.stale().isZero() ? "" : ", from the copy of the last good ones"));
    for (String name : DOORS) {
      String door =
          doors.stream()
              .filter(d -> d.name().equals(name))
              .map(d -> url(d) + "   " + purpose(name))
              .findAny()
              .orElse("closed");
      line(out, name, door);
    }
    if (!token.isEmpty() && doors.stream().anyMatch(d -> d.name().equals("admin"))) {
      line(out, "token", token + "   for administration, made for this run");
    }
    return out.toString();
  }

  private static String store(Config config, Health health) {
    String url = config.get(Settings.STORE);
    if (url.equals("memory")) {
      return "memory: counters of this process, kept in " + config.get(Settings.DATA);
    }
    return shown(url)
        + ": "
        + (health.available() ? health.state() : "AWAY, rules answer by their posture");
  }

  /** A URL without its password. */
  static String shown(String url) {
    return url.replaceAll("(//[^/@:]*):[^/@]*@", "$1:…@")
        .replaceAll("(?i)(password=)[^&;]*", "$1…");
  }

  private static String url(OpenDoor door) {
    String host = isAny(door.host()) ? "127.0.0.1" : door.host();
    String scheme = door.isTls() ? "https" : "http";
    return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + door.port();
  }

  private static boolean isAny(String host) {
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

  private static void line(StringBuilder out, String name, String text) {
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
