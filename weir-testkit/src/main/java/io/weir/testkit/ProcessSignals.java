package io.weir.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What a process can be told from outside: to stop, to go on, to be gone. */
public final class ProcessSignals {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private ProcessSignals() {}

  /** Returns when the process stands still, which is a moment after the signal is sent. */
  public static void suspend(ProcessHandle process) {
    send("STOP", process);
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    if (Files.exists(stat) && !Await.isTrueWithin(TIMEOUT, () -> !isRunning(stat))) {
      throw new IllegalStateException("process " + process.pid() + " does not stop");
    }
  }

  /** Stops a process, then those it started: who stands still starts no more. */
  public static void suspendAll(ProcessHandle process) {
    suspend(process);
    process.children().forEach(ProcessSignals::suspendAll);
  }

  public static void resume(ProcessHandle process) {
    send("CONT", process);
  }

  public static void resumeAll(ProcessHandle process) {
    process.children().forEach(ProcessSignals::resumeAll);
    resume(process);
  }

  /** Returns when the process and those it started, such as one that saves, are gone. */
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
      // the shell's own kill, since the program of that name is not installed everywhere
      Process kill = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
      String output = new String(kill.getInputStream().readAllBytes(), UTF_8);
      if (!Await.isTrueWithin(TIMEOUT, () -> !kill.isAlive())) {
        throw new IllegalStateException(line + " takes long: " + output);
      }
      if (kill.exitValue() != 0 && process.isAlive()) { // else it ended by itself meanwhile
        throw new IllegalStateException(line + ": " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }

  /** Told by the letter after the name, which is in brackets and may itself hold any letter. */
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
