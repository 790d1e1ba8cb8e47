package io.weir.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A CPU quota for processes, enforced by Linux control groups as for a container: in every period
 * of 100 ms the processes run until the quota is used up, then they are all throttled.
 */
final class CgroupCpuQuota implements AutoCloseable {
  private static final Path CGROUP_V2 = Path.of("/sys/fs/cgroup");
  private static final Path CGROUP_V1 = Path.of("/sys/fs/cgroup/cpu");
  private static final int PERIOD_MICROS = 100_000;

  private final Path group;

  private CgroupCpuQuota(Path group) {
    this.group = group;
  }

  /**
   * Creates a quota of so many percent of one CPU.
   *
   * @throws IOException if this machine does not permit it, with the reason
   */
  static CgroupCpuQuota ofPercent(int percent) throws IOException {
    boolean v2 = Files.exists(CGROUP_V2.resolve("cgroup.controllers"));
    Path group =
        (v2 ? CGROUP_V2 : CGROUP_V1).resolve("weir-quota-" + ProcessHandle.current().pid());
    int micros = PERIOD_MICROS / 100 * percent;
    Files.createDirectory(group);
    try {
      if (v2) {
        Files.writeString(group.resolve("cpu.max"), micros + " " + PERIOD_MICROS);
      } else {
        Files.writeString(group.resolve("cpu.cfs_period_us"), "" + PERIOD_MICROS);
        Files.writeString(group.resolve("cpu.cfs_quota_us"), "" + micros);
      }
    } catch (IOException e) {
      Files.delete(group);
      throw e;
    }
    return new CgroupCpuQuota(group);
  }

  void addProcess(long pid) {
    write("cgroup.procs", "" + pid);
  }

  private void write(String file, String text) {
    try {
      Files.writeString(group.resolve(file), text);
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

  /** Removes the quota; its processes must have ended. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
