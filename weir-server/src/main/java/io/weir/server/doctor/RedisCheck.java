package io.weir.server.doctor;

import io.weir.redis.RedisDiagnostics;
import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Looks at the servers of a Redis store: what they are, what they forget, what they have left. */
final class RedisCheck {
  private static final int MIN_MAJOR_VERSION = 5;
  private static final Duration MAX_CLOCK_OFFSET = Duration.ofMillis(20);
  private static final double FULL_RATIO = 0.9;
  private static final double NEARLY_FULL_RATIO = 0.75;

  private final RedisDiagnostics view;
  private final RedisPersistenceCheck persistence;

  /**
   * @param durable the rules whose counters must outlive a restart
   */
  RedisCheck(RedisDiagnostics view, List<String> durable) {
    this.view = view;
    persistence = new RedisPersistenceCheck(durable);
  }

  List<DoctorFinding> findings() {
    List<DoctorFinding> all = new ArrayList<>();
    all.addAll(checkEach(view.servers(), RedisCheck::versionFinding));
    List<RedisServerDiagnostics> told =
        view.servers().stream().filter(s -> !s.info().isEmpty()).toList();
    if (told.isEmpty()) {
      all.add(
          DoctorFinding.warning(
              "store",
              "this user may not ask INFO, so most of it cannot be looked at",
              "run ACL SETUSER name +info +config|get, or write --store with another user"));
    } else {
      all.addAll(checkEach(told, RedisCheck::evictionFinding));
      all.addAll(checkEach(told, RedisCheck::memoryFinding));
      all.addAll(checkEach(told, persistence::check));
      all.addAll(new RedisReplicationCheck(view).findings());
    }
    all.addAll(checkEach(view.servers(), RedisCheck::clockFinding));
    return all;
  }

  /** What is not well with some servers; one finding for all of them if all is. */
  private static List<DoctorFinding> checkEach(
      List<RedisServerDiagnostics> servers, Function<RedisServerDiagnostics, DoctorFinding> exam) {
    List<DoctorFinding> all = servers.stream().map(exam).toList();
    List<DoctorFinding> bad =
        all.stream().filter(f -> f.severity() != DoctorFinding.FindingSeverity.OK).toList();
    if (!bad.isEmpty() || all.isEmpty()) {
      return bad;
    }
    DoctorFinding one = all.get(0);
    String others = all.size() == 1 ? "" : ", likewise " + (all.size() - 1) + " more";
    return List.of(DoctorFinding.ok(one.subject(), one.text() + others));
  }

  private static DoctorFinding versionFinding(RedisServerDiagnostics server) {
    if (!server.failure().isEmpty()) {
      return DoctorFinding.problem(
          "store",
          server.name() + " " + server.failure(),
          "start it, or take it out of the cluster");
    }
    String name = server.info().containsKey("valkey_version") ? "Valkey" : "Redis";
    String redis = server.info().getOrDefault("redis_version", "");
    String version = server.info().getOrDefault("valkey_version", redis);
    if (redis.isEmpty()) {
      return DoctorFinding.ok("store", server.name() + " answers");
    }
    return majorVersion(redis) >= MIN_MAJOR_VERSION
        ? DoctorFinding.ok("store", server.name() + " answers, " + name + " " + version)
        : DoctorFinding.problem(
            "store",
            server.name() + " is Redis " + version + ", too old for scripts that read the time",
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
            "eviction", text + ", though without maxmemory nothing is evicted", help)
        : DoctorFinding.problem(
            "eviction", text + ": when full it forgets all counters at once", help);
  }

  private static DoctorFinding memoryFinding(RedisServerDiagnostics server) {
    long used = numericInfo(server, "used_memory");
    long bound = numericInfo(server, "maxmemory");
    long most = bound == 0 ? numericInfo(server, "total_system_memory") : bound;
    String text =
        "%s uses %s of %s%s"
            .formatted(
                server.name(),
                FindingFormat.bytes(used),
                FindingFormat.bytes(most),
                bound == 0 ? " that the machine has" : "");
    String help =
        bound == 0 ? "get more memory" : redisCliCommand(server) + "config set maxmemory BYTES";
    if (most > 0 && used >= most * FULL_RATIO) {
      return DoctorFinding.problem("memory", text + ": full, it refuses to count", help);
    }
    return most > 0 && used >= most * NEARLY_FULL_RATIO
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
            text + "; the store's time decides, but resets are told by this machine's",
            "run chronyc tracking on both, or timedatectl");
  }

  static long numericInfo(RedisServerDiagnostics server, String field) {
    String text = server.info().getOrDefault(field, "");
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
  }

  /** The beginning of a command to a server. */
  static String redisCliCommand(RedisServerDiagnostics server) {
    int colon = server.name().lastIndexOf(':');
    return "run redis-cli -h %s -p %s "
        .formatted(server.name().substring(0, colon), server.name().substring(colon + 1));
  }
}
