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

/** A child JVM with the class path of the test, for example to limit its memory or to kill it. */
public final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(List<String> command) throws IOException {
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /**
   * Starts a child JVM.
   *
   * @param options JVM options, such as {@code -Xmx64m}
   */
  public static ChildJvm start(Class<?> main, List<String> options, String... arguments) {
    try {
      return new ChildJvm(command(main, options, arguments));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a child JVM with a small disk: a file system in memory that only it and its children
   * see.
   *
   * @param folder the mount point
   * @return empty if this machine does not permit the mount
   */
  public static Optional<ChildJvm> startOnSmallDisk(
      Path folder, int kilobytes, Class<?> main, String... arguments) {
    String mount = "mount -t tmpfs -o size=" + kilobytes + "k tmpfs \"$0\"";
    try {
      Process check = inOwnMountNamespace(mount, folder).start();
      check.getInputStream().readAllBytes();
      if (check.waitFor() != 0) {
        return Optional.empty();
      }
      List<String> command = inOwnMountNamespace(mount + " && exec \"$@\"", folder).command();
      command.addAll(command(main, List.of(), arguments));
      return Optional.of(new ChildJvm(command));
    } catch (IOException e) {
      return Optional.empty(); // the unshare program is not installed
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

  /** The rest of the next output line with that prefix. Other lines are copied to stdout. */
  public String await(String prefix) {
    String line;
    while ((line = line()) != null) {
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
      System.out.println("child: " + line);
    }
    throw new AssertionError("the child JVM ended before it printed " + prefix);
  }

  /** The next output line; null at the end. */
  public @Nullable String line() {
    try {
      return output.readLine();
    } catch (IOException e) {
      return null;
    }
  }

  /** Kills it with SIGKILL. Its output so far can still be read. */
  public void kill() {
    ProcessSignals.kill(process.toHandle());
  }

  @Override
  public void close() {
    kill();
  }
}
