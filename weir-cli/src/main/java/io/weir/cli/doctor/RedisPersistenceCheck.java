package io.weir.cli.doctor;

import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import java.util.List;

/**
 * Checks what a Redis server keeps over a restart against what durable rules need.
 *
 * @param durableRules the ids of the rules whose counters must survive a restart
 */
record RedisPersistenceCheck(List<String> durableRules) {
  private static final String SUBJECT = "persistence";

  DoctorFinding check(RedisServerDiagnostics server) {
    if ("err".equals(server.info().get("aof_last_write_status"))) {
      return DoctorFinding.problem(
          SUBJECT, server.name() + " cannot write its append-only file", "check its disk and log");
    }
    boolean appends = "1".equals(server.info().get("aof_enabled"));
    return appends ? appendOnlyFinding(server) : noAppendOnlyFinding(server);
  }

  private DoctorFinding appendOnlyFinding(RedisServerDiagnostics server) {
    String sync = server.settings().getOrDefault("appendfsync", "unknown");
    String text = server.name() + " has appendonly yes, appendfsync " + sync;
    return switch (sync) {
      case "always" -> DoctorFinding.ok(SUBJECT, text + ": a crash loses nothing");
      case "everysec" -> DoctorFinding.ok(SUBJECT, text + ": a crash loses about a second");
      case "no" ->
          durableRules.isEmpty()
              ? DoctorFinding.ok(SUBJECT, text + ": a crash loses what is not flushed")
              : DoctorFinding.warning(
                  SUBJECT,
                  text
                      + ": a crash loses up to 30 s, but these rules are durable: "
                      + durableRuleNames(),
                  RedisCheck.redisCliCommand(server) + "config set appendfsync everysec");
      default -> DoctorFinding.ok(SUBJECT, text);
    };
  }

  private DoctorFinding noAppendOnlyFinding(RedisServerDiagnostics server) {
    String save = server.settings().getOrDefault("save", "");
    String lost =
        save.isEmpty() ? "all counters" : "all changes since the last snapshot (" + save + ")";
    String text = server.name() + " has appendonly no: a restart loses " + lost;
    return durableRules.isEmpty()
        ? DoctorFinding.ok(SUBJECT, text + ", and no rule is durable")
        : DoctorFinding.problem(
            SUBJECT,
            text + ", but these rules are durable: " + durableRuleNames(),
            RedisCheck.redisCliCommand(server) + "config set appendonly yes");
  }

  private String durableRuleNames() {
    return FindingFormat.names(durableRules);
  }
}
