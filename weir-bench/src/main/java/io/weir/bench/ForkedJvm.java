package io.weir.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a JVM of its own and reads the numbers it prints as {@code name=value}. */
public final class ForkedJvm {
  private static final long TIMEOUT_MINUTES = 5;

  private ForkedJvm() {}

  public static Map<String, Double> run(Class<?> main, String heap, String... args)
      throws IOException, InterruptedException {
    return run(System.getProperty("java.class.path"), main.getName(), heap, args);
  }

  /** As above, a class that is not on this class path. */
  static Map<String, Double> run(String classPath, String main, String heap, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx" + heap, "-cp", classPath, main));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
      boolean ended =
          process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES); // prints less than a pipe holds
      if (!ended || process.exitValue() != 0) {
        String how = ended ? "failed with exit code " + process.exitValue() : "did not end";
        throw new IllegalStateException(
            main + " " + String.join(" ", args) + " with -Xmx" + heap + " " + how);
      }
      Map<String, Double> numbers = new HashMap<>();
      lines
          .lines()
          .map(line -> line.split("=", 2))
          .forEach(pair -> numbers.put(pair[0], Double.valueOf(pair[1])));
      return numbers;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Says a number to the JVM that runs this one. */
  public static void report(String name, Number value) {
    System.out.println(name + "=" + value);
  }

  /** The bytes in use on this JVM's heap when all garbage is gone. */
  static long usedHeapBytes() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      System.gc();
      Thread.sleep(50);
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
