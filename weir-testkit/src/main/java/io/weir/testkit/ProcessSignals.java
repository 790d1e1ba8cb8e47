package io.weir.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Suspends, resumes and kills processes by signals. */
public final class ProcessSignals {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private ProcessSignals() {}

  /** Suspends a process; returns when it is stopped, which is shortly after the signal is sent. */
  public static void suspend(ProcessHandle process) {
    send("STOP", process);
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    if (Files.exists(stat) && !Await.isTrueWithin(TIMEOUT, () -> !isRunning(stat))) {
      throw new IllegalStateException("process " + process.pid() + " does not stop");
    }
  }

  /** Suspends a process, then its children, so that no further children are started. */
  public static void suspendAll(ProcessHandle process) {
    suspend(process);
    process.children().forEach(ProcessSignals::suspendAll);
  }

  /** Resumes a suspended process. */
  public static void resume(ProcessHandle process) {
    send("CONT", process);
  }

  /** Resumes the children of a process, then the process. */
  public static void resumeAll(ProcessHandle process) {
    process.children().forEach(ProcessSignals::resumeAll);
    resume(process);
  }

  /** Kills a process and its descendants; returns when all have ended. */
  public static void kill(ProcessHandle process) {
    List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    if (!Await.isTrueWithin(TIMEOUT, () -> all.stream().noneMatch(ProcessHandle::isAlive))) {
      throw new IllegalStateException("process " + process.pid() + " does not end");
    }
  }

  private static void send(String signal, ProcessHandle process) {
    String line = "kill -" + signal + " " + process.pid();
    try {
      // the shell builtin, since the kill program is not installed everywhere
      Process kill = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
      String output = new String(kill.getInputStream().readAllBytes(), UTF_8);
      if (!Await.isTrueWithin(TIMEOUT, () -> !kill.isAlive())) {
        throw new IllegalStateException(line + " takes too long: " + output);
      }
      if (kill.exitValue() != 0 && process.isAlive()) { // else the process has ended meanwhile
        throw new IllegalStateException(line + ": " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }

  /** Reads the state letter, which follows the name in parentheses; the name may contain any. */
  private static boolean isRunning(Path stat) {
    try {
      String line = Files.readString(stat, UTF_8);
      char state = line.charAt(line.lastIndexOf(')') + 2);
      return state != 'T' && state != 'Z';
    } catch (IOException e) {
      return Files.exists(stat);
    }
  }
}
