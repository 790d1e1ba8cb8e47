package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The directory of one server: its configuration file, output and data. */
final class RedisServerDirectory {
  private final Path folder;

  RedisServerDirectory(int port, List<String> settings) {
    try {
      folder = Files.createTempDirectory("weir-redis-");
      List<String> lines =
          new ArrayList<>(
              List.of(
                  "port " + port,
                  "bind 127.0.0.1",
                  "dir \"" + folder + "\"",
                  "save \"\"",
                  // otherwise a restarted replica loads the file of its last synchronization
                  "rdb-del-sync-files yes",
                  // 5 seconds by default, to wait for more replicas
                  "repl-diskless-sync-delay 0"));
      lines.addAll(settings);
      Files.write(configFile(), lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create the directory of a Redis server", e);
    }
  }

  Process launch(String executable, List<String> flags) {
    List<String> line = new ArrayList<>(List.of(executable, configFile().toString()));
    line.addAll(flags);
    File log = folder.resolve("log").toFile();
    try {
      return new ProcessBuilder(line)
          .directory(folder.toFile())
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
          .start();
    } catch (IOException e) {
      throw new IllegalStateException("could not run " + executable, e);
    }
  }

  /** Returns all output of the server since its first start. */
  String readLog() {
    try {
      return Files.readString(folder.resolve("log"), UTF_8);
    } catch (IOException e) {
      return "(no output: " + e + ")";
    }
  }

  void delete() {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("could not delete " + folder, e);
    }
  }

  private Path configFile() {
    return folder.resolve("redis.conf");
  }
}
