package io.weir.server.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks at the machine: Java, open files, the folder for data. */
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
        "%s, %d processors, at most %s of heap"
            .formatted(
                Runtime.version(),
                runtime.availableProcessors(),
                FindingFormat.bytes(runtime.maxMemory())));
  }

  DoctorFinding openFilesFinding(long most) {
    long doors = ConfiguredListener.of(config).stream().filter(door -> !door.isClosed()).count();
    long needed = doors * config.get(ServerSettings.MAX_CONNECTIONS) + RESERVED_FILES;
    String text = "this process may open " + most;
    return most >= needed
        ? DoctorFinding.ok("files", text)
        : DoctorFinding.warning(
            "files",
            text + ", but its doors take " + needed + " together",
            "run ulimit -n "
                + needed
                + ", or write --max-connections "
                + connectionsPerListener(most, doors));
  }

  private static long connectionsPerListener(long most, long doors) {
    return Math.max(1, (most - RESERVED_FILES) / Math.max(1, doors));
  }

  private DoctorFinding dataFolderFinding() {
    Path folder = config.get(ServerSettings.DATA).toAbsolutePath().normalize();
    Path there = folder;
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null || !Files.isDirectory(there) || !canWrite(there)) {
      return DoctorFinding.problem(
          "data", folder + " cannot be written", "make it writable, or write --data FOLDER");
    }
    return DoctorFinding.ok(
        "data", folder + (there.equals(folder) ? " can be written" : " will be made"));
  }

  /** By trying: rights alone do not tell of full or read-only disks. */
  private static boolean canWrite(Path folder) {
    try {
      Path tried = Files.createTempFile(folder, "weir-doctor", "");
      Files.delete(tried);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
