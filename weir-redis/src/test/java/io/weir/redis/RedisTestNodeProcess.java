package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A {@link RedisTestNode} in a separate JVM; ends when closed or when this JVM ends. */
final class RedisTestNodeProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final Writer in;

  private RedisTestNodeProcess(Process process) {
    this.process = process;
    out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    in = process.outputWriter(UTF_8);
  }

  /**
   * Starts a node with additional environment variables; it writes "ready" when its store is
   * available.
   */
  static RedisTestNodeProcess start(
      String uri, Duration deadline, Map<String, String> environment) {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            RedisTestNode.class.getName(),
            uri,
            Long.toString(deadline.toMillis()));
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      return new RedisTestNodeProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RedisTestNodeProcess send(String line) {
    try {
      in.write(line + "\n");
      in.flush();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the next line the node writes. */
  String readLine() {
    try {
      String line = out.readLine();
      if (line == null) {
        throw new AssertionError("the node has ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String request(String line) {
    return send(line).readLine();
  }

  long pid() {
    return process.pid();
  }

  void signal(String name) {
    String line = "kill -" + name + " " + process.pid();
    try {
      int code = new ProcessBuilder(List.of("sh", "-c", line)).start().waitFor();
      if (code != 0) {
        throw new AssertionError(line + " ended with " + code);
      }
      if (name.equals("STOP")) {
        Await.until(
            RedisStoreTestSupport.AWAIT_TIMEOUT, "all threads stopped", this::allThreadsStopped);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns whether the signal has reached every thread, where the system shows it. */
  private boolean allThreadsStopped() {
    Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
    if (!Files.isDirectory(tasks)) {
      return true;
    }
    try (var all = Files.list(tasks)) {
      return all.allMatch(RedisTestNodeProcess::isStopped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isStopped(Path task) {
    try {
      String status = Files.readString(task.resolve("stat"));
      return status.charAt(status.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      return true; // the thread has ended
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        throw new AssertionError("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
