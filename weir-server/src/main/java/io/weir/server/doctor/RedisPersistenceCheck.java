package io.weir.server.doctor;

import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import java.util.List;

/** Looks at what a server remembers over a restart, against what rules must remember. */
record RedisPersistenceCheck(List<String> durableRules) {
  private static final String SUBJECT = "persistence";

  DoctorFinding check(RedisServerDiagnostics server) {
    if ("err".equals(server.info().get("aof_last_write_status"))) {
      return DoctorFinding.problem(
          SUBJECT,
          server.name() + " cannot write its append-only file",
          "look at its disk and log");
    }
    boolean appends = "1".equals(server.info().get("aof_enabled"));
    return appends ? appendOnlyFinding(server) : noAppendOnlyFinding(server);
  }

  private DoctorFinding appendOnlyFinding(RedisServerDiagnostics server) {
    String sync = server.settings().getOrDefault("appendfsync", "unknown");
    String text = server.name() + " appends to a file, appendfsync " + sync;
    return switch (sync) {
      case "always" -> DoctorFinding.ok(SUBJECT, text + ": a crash forgets nothing");
      case "everysec" -> DoctorFinding.ok(SUBJECT, text + ": a crash forgets about a second");
      case "no" ->
          durableRules.isEmpty()
              ? DoctorFinding.ok(
                  SUBJECT, text + ": a crash forgets what the system had not written")
              : DoctorFinding.warning(
                  SUBJECT,
                  text
                      + ": a crash forgets up to half a minute, though durable are "
                      + durableRuleNames(),
                  RedisCheck.redisCliCommand(server) + "config set appendfsync everysec");
      default -> DoctorFinding.ok(SUBJECT, text);
    };
  }

  private DoctorFinding noAppendOnlyFinding(RedisServerDiagnostics server) {
    String save = server.settings().getOrDefault("save", "");
    String forgets =
        save.isEmpty() ? "all counters" : "what was counted since the last snapshot (" + save + ")";
    String text = server.name() + " has appendonly no: a restart forgets " + forgets;
    return durableRules.isEmpty()
        ? DoctorFinding.ok(SUBJECT, text + ", and no rule is durable")
        : DoctorFinding.problem(
            SUBJECT,
            text + ", though durable are " + durableRuleNames(),
            RedisCheck.redisCliCommand(server) + "config set appendonly yes");
  }

  private String durableRuleNames() {
    return FindingFormat.names(durableRules);
  }
}
