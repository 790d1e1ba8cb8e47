package io.weir.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A Linux control group that limits or favors the CPU use of its processes, as for a container. */
final class CpuControlGroup implements AutoCloseable {
  private static final Path CGROUP_V2 = Path.of("/sys/fs/cgroup");
  private static final Path CGROUP_V1 = Path.of("/sys/fs/cgroup/cpu");
  private static final int PERIOD_MICROS = 100_000;

  private final Path group;

  private CpuControlGroup(Path group) {
    this.group = group;
  }

  /**
   * Creates a group with a quota in percent of one CPU: in every period of 100 ms its processes run
   * until the quota is used up, then they are all throttled.
   *
   * @throws IOException if this machine does not permit it, with the reason
   */
  static CpuControlGroup withQuotaPercent(int percent) throws IOException {
    int micros = PERIOD_MICROS / 100 * percent;
    return create(
        "quota",
        Map.of("cpu.max", micros + " " + PERIOD_MICROS),
        Map.of("cpu.cfs_period_us", "" + PERIOD_MICROS, "cpu.cfs_quota_us", "" + micros));
  }

  /**
   * Creates a group whose processes get the CPU before all others, as if on a machine of their own.
   *
   * @throws IOException if this machine does not permit it, with the reason
   */
  static CpuControlGroup withPriority() throws IOException {
    return create("priority", Map.of("cpu.weight", "10000"), Map.of("cpu.shares", "200000"));
  }

  private static CpuControlGroup create(
      String name, Map<String, String> v2Settings, Map<String, String> v1Settings)
      throws IOException {
    boolean v2 = Files.exists(CGROUP_V2.resolve("cgroup.controllers"));
    Path group =
        (v2 ? CGROUP_V2 : CGROUP_V1).resolve("weir-" + name + "-" + ProcessHandle.current().pid());
    Files.createDirectory(group);
    try {
      for (Map.Entry<String, String> setting : (v2 ? v2Settings : v1Settings).entrySet()) {
        Files.writeString(group.resolve(setting.getKey()), setting.getValue());
      }
    } catch (IOException e) {
      Files.delete(group);
      throw e;
    }
    return new CpuControlGroup(group);
  }

  void addProcess(long pid) {
    try {
      Files.writeString(group.resolve("cgroup.procs"), "" + pid);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns in how many periods the processes were throttled so far. */
  long throttledPeriods() {
    try {
      return Files.readAllLines(group.resolve("cpu.stat")).stream()
          .filter(line -> line.startsWith("nr_throttled "))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the group; its processes must have ended. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
