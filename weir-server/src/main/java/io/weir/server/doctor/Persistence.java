package io.weir.server.doctor;

import io.weir.redis.RedisView.Server;
import java.util.List;

/** Looks at what a server remembers over a restart, against what rules must remember. */
record Persistence(List<String> durable) {
  private static final String SUBJECT = "persistence";

  Finding of(Server server) {
    if ("err".equals(server.info().get("aof_last_write_status"))) {
      return Finding.problem(
          SUBJECT,
          server.name() + " cannot write its append-only file",
          "look at its disk and log");
    }
    boolean appends = "1".equals(server.info().get("aof_enabled"));
    return appends ? appending(server) : forgetful(server);
  }

  private Finding appending(Server server) {
    String sync = server.settings().getOrDefault("appendfsync", "unknown");
    String text = server.name() + " appends to a file, appendfsync " + sync;
    return switch (sync) {
      case "always" -> Finding.ok(SUBJECT, text + ": a crash forgets nothing");
      case "everysec" -> Finding.ok(SUBJECT, text + ": a crash forgets about a second");
      case "no" ->
          durable.isEmpty()
              ? Finding.ok(SUBJECT, text + ": a crash forgets what the system had not written")
              : Finding.warning(
                  SUBJECT,
                  text + ": a crash forgets up to half a minute, though durable are " + names(),
                  RedisExam.cli(server) + "config set appendfsync everysec");
      default -> Finding.ok(SUBJECT, text);
    };
  }

  private Finding forgetful(Server server) {
    String save = server.settings().getOrDefault("save", "");
    String forgets =
        save.isEmpty() ? "all counters" : "what was counted since the last snapshot (" + save + ")";
    String text = server.name() + " has appendonly no: a restart forgets " + forgets;
    return durable.isEmpty()
        ? Finding.ok(SUBJECT, text + ", and no rule is durable")
        : Finding.problem(
            SUBJECT,
            text + ", though durable are " + names(),
            RedisExam.cli(server) + "config set appendonly yes");
  }

  private String names() {
    return Shown.names(durable);
  }
}
