package io.weir.cli.doctor;

import io.weir.redis.RedisDiagnostics;
import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Checks the servers of a Redis store: version, eviction, memory, persistence and clock. */
final class RedisCheck {
  private static final int MIN_MAJOR_VERSION = 5;
  private static final Duration MAX_CLOCK_OFFSET = Duration.ofMillis(20);
  private static final double FULL_RATIO = 0.9;
  private static final double NEARLY_FULL_RATIO = 0.75;

  private final RedisDiagnostics view;
  private final RedisPersistenceCheck persistence;

  /**
   * @param durable the ids of the rules whose counters must survive a restart
   */
  RedisCheck(RedisDiagnostics view, List<String> durable) {
    this.view = view;
    persistence = new RedisPersistenceCheck(durable);
  }

  List<DoctorFinding> findings() {
    List<DoctorFinding> all = new ArrayList<>();
    all.addAll(checkEach(view.servers(), RedisCheck::versionFinding));
    List<RedisServerDiagnostics> readable =
        view.servers().stream().filter(s -> !s.info().isEmpty()).toList();
    if (readable.isEmpty()) {
      all.add(
          DoctorFinding.warning(
              "store",
              "this user may not run INFO, so most checks are skipped",
              "run ACL SETUSER name +info +config|get, or set --store with another user"));
    } else {
      all.addAll(checkEach(readable, RedisCheck::evictionFinding));
      all.addAll(checkEach(readable, RedisCheck::memoryFinding));
      all.addAll(checkEach(readable, persistence::check));
      all.addAll(new RedisReplicationCheck(view).findings());
    }
    all.addAll(checkEach(view.servers(), RedisCheck::clockFinding));
    return all;
  }

  /** Returns the warnings and problems of the servers, or one finding for all if there are none. */
  private static List<DoctorFinding> checkEach(
      List<RedisServerDiagnostics> servers, Function<RedisServerDiagnostics, DoctorFinding> check) {
    List<DoctorFinding> all = servers.stream().map(check).toList();
    List<DoctorFinding> bad =
        all.stream().filter(f -> f.severity() != DoctorFinding.FindingSeverity.OK).toList();
    if (!bad.isEmpty() || all.isEmpty()) {
      return bad;
    }
    DoctorFinding first = all.get(0);
    String others = all.size() == 1 ? "" : ", and " + (all.size() - 1) + " more servers";
    return List.of(DoctorFinding.ok(first.subject(), first.text() + others));
  }

  private static DoctorFinding versionFinding(RedisServerDiagnostics server) {
    if (!server.failure().isEmpty()) {
      return DoctorFinding.problem(
          "store",
          server.name() + " " + server.failure(),
          "start it, or remove it from the cluster");
    }
    String name = server.info().containsKey("valkey_version") ? "Valkey" : "Redis";
    String redis = server.info().getOrDefault("redis_version", "");
    String version = server.info().getOrDefault("valkey_version", redis);
    if (redis.isEmpty()) {
      return DoctorFinding.ok("store", server.name() + " is reachable");
    }
    return majorVersion(redis) >= MIN_MAJOR_VERSION
        ? DoctorFinding.ok("store", server.name() + " is reachable, " + name + " " + version)
        : DoctorFinding.problem(
            "store",
            server.name() + " is Redis " + version + ", whose scripts cannot read the time",
            "run Redis 5 or newer, or Valkey");
  }

  private static int majorVersion(String version) {
    String first = version.replaceAll("\\..*", "");
    return first.matches("[0-9]{1,5}") ? Integer.parseInt(first) : 0;
  }

  private static DoctorFinding evictionFinding(RedisServerDiagnostics server) {
    String policy = server.info().getOrDefault("maxmemory_policy", "unknown");
    String text = server.name() + " has maxmemory-policy " + policy;
    if (policy.equals("noeviction")) {
      return DoctorFinding.ok("eviction", text);
    }
    String help = redisCliCommand(server) + "config set maxmemory-policy noeviction";
    return numericInfo(server, "maxmemory") == 0
        ? DoctorFinding.warning(
            "eviction", text + ", but without maxmemory nothing is evicted", help)
        : DoctorFinding.problem(
            "eviction", text + ": when full, it evicts whole shards of counters", help);
  }

  private static DoctorFinding memoryFinding(RedisServerDiagnostics server) {
    long used = numericInfo(server, "used_memory");
    long maxmemory = numericInfo(server, "maxmemory");
    long available = maxmemory == 0 ? numericInfo(server, "total_system_memory") : maxmemory;
    String text =
        "%s uses %s of %s%s"
            .formatted(
                server.name(),
                FindingFormat.bytes(used),
                FindingFormat.bytes(available),
                maxmemory == 0 ? " of system memory" : "");
    String help =
        maxmemory == 0 ? "add memory" : redisCliCommand(server) + "config set maxmemory BYTES";
    if (available > 0 && used >= available * FULL_RATIO) {
      return DoctorFinding.problem("memory", text + ": full, it rejects writes", help);
    }
    return available > 0 && used >= available * NEARLY_FULL_RATIO
        ? DoctorFinding.warning("memory", text, help)
        : DoctorFinding.ok("memory", text);
  }

  private static DoctorFinding clockFinding(RedisServerDiagnostics server) {
    String text =
        "%s is %d ms %s this machine"
            .formatted(
                server.name(),
                server.clockOffset().abs().toMillis(),
                server.clockOffset().isNegative() ? "behind" : "ahead of");
    return server.clockOffset().abs().compareTo(MAX_CLOCK_OFFSET) <= 0
        ? DoctorFinding.ok("clock", text)
        : DoctorFinding.warning(
            "clock",
            text + "; limits use the store's time, but reset times use this machine's",
            "run chronyc tracking on both, or timedatectl");
  }

  static long numericInfo(RedisServerDiagnostics server, String field) {
    String text = server.info().getOrDefault(field, "");
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
  }

  /** Returns the beginning of a redis-cli command for a server. */
  static String redisCliCommand(RedisServerDiagnostics server) {
    int colon = server.name().lastIndexOf(':');
    return "run redis-cli -h %s -p %s "
        .formatted(server.name().substring(0, colon), server.name().substring(colon + 1));
  }
}
