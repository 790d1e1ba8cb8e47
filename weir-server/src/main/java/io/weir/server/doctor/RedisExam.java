package io.weir.server.doctor;

import io.weir.redis.RedisView;
import io.weir.redis.RedisView.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Looks at the servers of a Redis store: what they are, what they forget, what they have left. */
final class RedisExam {
  private static final int OLDEST = 5;
  private static final Duration FAR = Duration.ofMillis(20);
  private static final double FULL = 0.9;
  private static final double FILLING = 0.75;

  private final RedisView view;
  private final Persistence persistence;

  /**
   * @param durable the rules whose counters must outlive a restart
   */
  RedisExam(RedisView view, List<String> durable) {
    this.view = view;
    persistence = new Persistence(durable);
  }

  List<Finding> findings() {
    List<Finding> all = new ArrayList<>();
    all.addAll(each(view.servers(), RedisExam::version));
    List<Server> told = view.servers().stream().filter(s -> !s.info().isEmpty()).toList();
    if (told.isEmpty()) {
      all.add(
          Finding.warning(
              "store",
              "this user may not ask INFO, so most of it cannot be looked at",
              "run ACL SETUSER name +info +config|get, or write --store with another user"));
    } else {
      all.addAll(each(told, RedisExam::eviction));
      all.addAll(each(told, RedisExam::memory));
      all.addAll(each(told, persistence::of));
      all.addAll(new Replication(view).findings());
    }
    all.addAll(each(view.servers(), RedisExam::clock));
    return all;
  }

  /** What is not well with some servers; one finding for all of them if all is. */
  private static List<Finding> each(List<Server> servers, Function<Server, Finding> exam) {
    List<Finding> all = servers.stream().map(exam).toList();
    List<Finding> bad = all.stream().filter(f -> f.grade() != Finding.Grade.OK).toList();
    if (!bad.isEmpty() || all.isEmpty()) {
      return bad;
    }
    Finding one = all.get(0);
    String others = all.size() == 1 ? "" : ", likewise " + (all.size() - 1) + " more";
    return List.of(Finding.ok(one.subject(), one.text() + others));
  }

  private static Finding version(Server server) {
    if (!server.trouble().isEmpty()) {
      return Finding.problem(
          "store",
          server.name() + " " + server.trouble(),
          "start it, or take it out of the cluster");
    }
    String name = server.info().containsKey("valkey_version") ? "Valkey" : "Redis";
    String redis = server.info().getOrDefault("redis_version", "");
    String version = server.info().getOrDefault("valkey_version", redis);
    if (redis.isEmpty()) {
      return Finding.ok("store", server.name() + " answers");
    }
    return major(redis) >= OLDEST
        ? Finding.ok("store", server.name() + " answers, " + name + " " + version)
        : Finding.problem(
            "store",
            server.name() + " is Redis " + version + ", too old for scripts that read the time",
            "run Redis 5 or newer, or Valkey");
  }

  private static int major(String version) {
    String first = version.replaceAll("\\..*", "");
    return first.matches("[0-9]{1,5}") ? Integer.parseInt(first) : 0;
  }

  private static Finding eviction(Server server) {
    String policy = server.info().getOrDefault("maxmemory_policy", "unknown");
    String text = server.name() + " has maxmemory-policy " + policy;
    if (policy.equals("noeviction")) {
      return Finding.ok("eviction", text);
    }
    String help = cli(server) + "config set maxmemory-policy noeviction";
    return number(server, "maxmemory") == 0
        ? Finding.warning("eviction", text + ", though without maxmemory nothing is evicted", help)
        : Finding.problem("eviction", text + ": when full it forgets all counters at once", help);
  }

  private static Finding memory(Server server) {
    long used = number(server, "used_memory");
    long bound = number(server, "maxmemory");
    long most = bound == 0 ? number(server, "total_system_memory") : bound;
    String text =
        "%s uses %s of %s%s"
            .formatted(
                server.name(),
                Shown.bytes(used),
                Shown.bytes(most),
                bound == 0 ? " that the machine has" : "");
    String help = bound == 0 ? "get more memory" : cli(server) + "config set maxmemory BYTES";
    if (most > 0 && used >= most * FULL) {
      return Finding.problem("memory", text + ": full, it refuses to count", help);
    }
    return most > 0 && used >= most * FILLING
        ? Finding.warning("memory", text, help)
        : Finding.ok("memory", text);
  }

  private static Finding clock(Server server) {
    String text =
        "%s is %d ms %s this machine"
            .formatted(
                server.name(),
                server.ahead().abs().toMillis(),
                server.ahead().isNegative() ? "behind" : "ahead of");
    return server.ahead().abs().compareTo(FAR) <= 0
        ? Finding.ok("clock", text)
        : Finding.warning(
            "clock",
            text + "; the store's time decides, but resets are told by this machine's",
            "run chronyc tracking on both, or timedatectl");
  }

  static long number(Server server, String field) {
    String text = server.info().getOrDefault(field, "");
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
  }

  /** The beginning of a command to a server. */
  static String cli(Server server) {
    int colon = server.name().lastIndexOf(':');
    return "run redis-cli -h %s -p %s "
        .formatted(server.name().substring(0, colon), server.name().substring(colon + 1));
  }
}
