package io.weir.server.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks at the machine: Java, open files, the folder for data. */
final class MachineExam {
  private static final int FILES_BESIDES = 256;

  private final Config config;

  MachineExam(Config config) {
    this.config = config;
  }

  List<Finding> findings() {
    List<Finding> all = new ArrayList<>();
    all.add(java());
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      all.add(files(system.getMaxFileDescriptorCount()));
    }
    all.add(data());
    return all;
  }

  private static Finding java() {
    Runtime runtime = Runtime.getRuntime();
    return Finding.ok(
        "java",
        "%s, %d processors, at most %s of heap"
            .formatted(
                Runtime.version(),
                runtime.availableProcessors(),
                Shown.bytes(runtime.maxMemory())));
  }

  Finding files(long most) {
    long doors = PlannedDoor.of(config).stream().filter(door -> !door.isClosed()).count();
    long needed = doors * config.get(Settings.MAX_CONNECTIONS) + FILES_BESIDES;
    String text = "this process may open " + most;
    return most >= needed
        ? Finding.ok("files", text)
        : Finding.warning(
            "files",
            text + ", but its doors take " + needed + " together",
            "run ulimit -n " + needed + ", or write --max-connections " + spare(most, doors));
  }

  private static long spare(long most, long doors) {
    return Math.max(1, (most - FILES_BESIDES) / Math.max(1, doors));
  }

  private Finding data() {
    Path folder = config.get(Settings.DATA).toAbsolutePath().normalize();
    Path there = folder;
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null || !Files.isDirectory(there) || !canWrite(there)) {
      return Finding.problem(
          "data", folder + " cannot be written", "make it writable, or write --data FOLDER");
    }
    return Finding.ok(
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
