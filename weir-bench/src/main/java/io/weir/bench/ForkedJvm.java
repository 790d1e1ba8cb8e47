package io.weir.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a separate JVM and reads the numbers it prints as {@code name=value}. */
public final class ForkedJvm {
  private static final long TIMEOUT_MINUTES = 5;

  private ForkedJvm() {}

  public static Map<String, Double> run(Class<?> main, String heap, String... args)
      throws IOException, InterruptedException {
    return run(System.getProperty("java.class.path"), main.getName(), heap, args);
  }

  /** As above, for a class that is not on this class path. */
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
          process.waitFor(
              TIMEOUT_MINUTES, TimeUnit.MINUTES); // the output fits into the pipe buffer
      if (!ended || process.exitValue() != 0) {
        String outcome = ended ? "failed with exit code " + process.exitValue() : "timed out";
        throw new IllegalStateException(
            main + " " + String.join(" ", args) + " with -Xmx" + heap + " " + outcome);
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

  /** Prints a number for the parent JVM. */
  public static void report(String name, Number value) {
    System.out.println(name + "=" + value);
  }

  /** Returns the bytes in use on this JVM's heap after garbage collection. */
  static long usedHeapBytes() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      System.gc();
      Thread.sleep(50);
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
