package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.testkit.Soon;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What a process can be told from outside: to stop, to go on, to be gone. */
final class Signals {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Signals() {}

  /** Returns when the process stands still, which is a moment after the signal is sent. */
  static void stop(Process process) {
    send("STOP", process);
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    if (Files.exists(stat) && !Soon.comes(PATIENCE, () -> state(stat) == 'T')) {
      throw new IllegalStateException("process " + process.pid() + " does not stop");
    }
  }

  static void resume(Process process) {
    send("CONT", process);
  }

  /** Returns when the process and those it started, such as one that saves, are gone. */
  static void kill(Process process) {
    if (!process.isAlive()) {
      return;
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    if (!Soon.comes(PATIENCE, () -> !process.isAlive())) {
      throw new IllegalStateException("process " + process.pid() + " does not end");
    }
  }

  private static void send(String signal, Process process) {
    String line = "kill -" + signal + " " + process.pid();
    try {
      // the shell's own kill, since the program of that name is not installed everywhere
      Process kill = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
      String output = new String(kill.getInputStream().readAllBytes(), UTF_8);
      if (!Soon.comes(PATIENCE, () -> !kill.isAlive()) || kill.exitValue() != 0) {
        throw new IllegalStateException(line + ": " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }

  /** The letter after the name, which is in brackets and may itself hold any letter. */
  private static char state(Path stat) {
    try {
      String line = Files.readString(stat, UTF_8);
      return line.charAt(line.lastIndexOf(')') + 2);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
