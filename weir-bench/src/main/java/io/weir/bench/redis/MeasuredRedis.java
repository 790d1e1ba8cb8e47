package io.weir.bench.redis;

import io.weir.testkit.redis.RedisProcess;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** A Redis process of the benchmark and its statistics. */
final class MeasuredRedis implements AutoCloseable {
  private static final Pattern COMMAND_CALLS = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+)");
  private static final Pattern BENCHMARK_COMMANDS = Pattern.compile("info|config.*|flushall|ping");

  private final RedisProcess process = RedisProcess.start();

  String uri() {
    return process.uri();
  }

  /** Returns the CPU time of the process so far, in microseconds. */
  double cpuMicros() {
    return process.cpuTime().toNanos() / 1e3;
  }

  /** Returns the number of commands so far, including those in scripts. */
  long commands() {
    return COMMAND_CALLS
        .matcher(info("commandstats"))
        .results()
        .filter(line -> !BENCHMARK_COMMANDS.matcher(line.group(1)).matches())
        .mapToLong(line -> Long.parseLong(line.group(2)))
        .sum();
  }

  /** Returns the bytes in use, without client buffers. */
  long usedMemory() {
    String memory = info("memory");
    return number(memory, "used_memory") - number(memory, "mem_clients_normal");
  }

  /** Enables the slow log for commands that take longer than a millisecond. */
  void enableSlowLog() {
    process.command("CONFIG", "SET", "slowlog-log-slower-than", "1000", "slowlog-max-len", "10000");
  }

  /** Returns the longest command since the last call, in milliseconds, and resets the slow log. */
  double longestCallMillis() {
    List<?> calls = (List<?>) Objects.requireNonNull(process.command("SLOWLOG", "GET", "-1"));
    process.command("SLOWLOG", "RESET");
    return calls.stream().mapToLong(call -> (Long) ((List<?>) call).get(2)).max().orElse(0) / 1e3;
  }

  /** Returns the Redis version and its allocator, which determines memory use. */
  static String describe() {
    try (MeasuredRedis server = new MeasuredRedis()) {
      return server.version();
    }
  }

  private String version() {
    return "Redis "
        + text(info("server"), "redis_version")
        + " with "
        + text(info("memory"), "mem_allocator");
  }

  private String info(String section) {
    return String.valueOf(process.command("INFO", section));
  }

  private static long number(String info, String name) {
    return Long.parseLong(text(info, name));
  }

  private static String text(String info, String name) {
    return Pattern.compile("(?m)^" + name + ":(\\S+)")
        .matcher(info)
        .results()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("Redis does not report " + name))
        .group(1);
  }

  @Override
  public void close() {
    process.close();
  }
}
