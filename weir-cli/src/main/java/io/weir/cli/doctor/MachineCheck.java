package io.weir.cli.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks the machine: Java, the open file limit and the data folder. */
final class MachineCheck {
  private static final int RESERVED_FILES = 256;

  private final ServerConfig config;

  MachineCheck(ServerConfig config) {
    this.config = config;
  }

  List<DoctorFinding> findings() {
    List<DoctorFinding> all = new ArrayList<>();
    all.add(javaFinding());
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      all.add(openFilesFinding(system.getMaxFileDescriptorCount()));
    }
    all.add(dataFolderFinding());
    return all;
  }

  private static DoctorFinding javaFinding() {
    Runtime runtime = Runtime.getRuntime();
    return DoctorFinding.ok(
        "java",
        "%s, %d processors, %s maximum heap"
            .formatted(
                Runtime.version(),
                runtime.availableProcessors(),
                FindingFormat.bytes(runtime.maxMemory())));
  }

  DoctorFinding openFilesFinding(long limit) {
    long listeners =
        ConfiguredListener.of(config).stream().filter(listener -> !listener.isClosed()).count();
    long needed = listeners * config.get(ServerSettings.MAX_CONNECTIONS) + RESERVED_FILES;
    String text = "this process may open " + limit + " files";
    return limit >= needed
        ? DoctorFinding.ok("files", text)
        : DoctorFinding.warning(
            "files",
            text + ", but its connections need up to " + needed,
            "run ulimit -n "
                + needed
                + ", or set --max-connections "
                + connectionsPerListener(limit, listeners));
  }

  private static long connectionsPerListener(long limit, long listeners) {
    return Math.max(1, (limit - RESERVED_FILES) / Math.max(1, listeners));
  }

  private DoctorFinding dataFolderFinding() {
    Path folder = config.get(ServerSettings.DATA).toAbsolutePath().normalize();
    Path existing = folder;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (existing == null || !Files.isDirectory(existing) || !canWrite(existing)) {
      return DoctorFinding.problem(
          "data", folder + " is not writable", "make it writable, or set --data FOLDER");
    }
    return DoctorFinding.ok(
        "data", folder + (existing.equals(folder) ? " is writable" : " will be created"));
  }

  /** Creates a file, since permissions alone do not reveal full or read-only disks. */
  private static boolean canWrite(Path folder) {
    try {
      Path probe = Files.createTempFile(folder, "weir-doctor", "");
      Files.delete(probe);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
