package io.weir.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A JVM of a test's own, with its class path, to be given little memory or killed. */
public final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(List<String> command) throws IOException {
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /**
   * Starts one.
   *
   * @param options such as {@code -Xmx64m}
   */
  public static ChildJvm start(Class<?> main, List<String> options, String... arguments) {
    try {
      return new ChildJvm(command(main, options, arguments));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts one on a small disk: a file system in memory that only it and its children see.
   *
   * @param folder where that is mounted
   * @return none where this machine does not let it be mounted
   */
  public static Optional<ChildJvm> startOnSmallDisk(
      Path folder, int kilobytes, Class<?> main, String... arguments) {
    String mount = "mount -t tmpfs -o size=" + kilobytes + "k tmpfs \"$0\"";
    try {
      Process trial = inOwnMountNamespace(mount, folder).start();
      trial.getInputStream().readAllBytes();
      if (trial.waitFor() != 0) {
        return Optional.empty();
      }
      List<String> command = inOwnMountNamespace(mount + " && exec \"$@\"", folder).command();
      command.addAll(command(main, List.of(), arguments));
      return Optional.of(new ChildJvm(command));
    } catch (IOException e) {
      return Optional.empty(); // there is no unshare
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static ProcessBuilder inOwnMountNamespace(String script, Path folder) {
    List<String> command =
        new ArrayList<>(List.of("unshare", "-rm", "sh", "-c", script, folder.toString()));
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private static List<String> command(Class<?> main, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** The next line it prints that begins so, without that. Others are printed here too. */
  public String await(String prefix) {
    String line;
    while ((line = line()) != null) {
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
      System.out.println("child: " + line);
    }
    throw new AssertionError("it ended before it said " + prefix);
  }

  /** The next line it prints; null at its end. */
  public @Nullable String line() {
    try {
      return output.readLine();
    } catch (IOException e) {
      return null;
    }
  }

  /** Ends it as kill -9 does. What it had printed can still be read. */
  public void kill() {
    ProcessSignals.kill(process.toHandle());
  }

  @Override
  public void close() {
    kill();
  }
}
