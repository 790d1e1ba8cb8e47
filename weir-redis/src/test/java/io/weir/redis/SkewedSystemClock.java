package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.testkit.ToolRequirement;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Gives processes a wall clock that is wrong by an adjustable offset; their timers stay right.
 *
 * <p>A few lines of C, compiled if a compiler is available. Not libfaketime: with it a JVM takes
 * ten seconds to start, and a Redis that uses jemalloc does not start at all.
 */
final class SkewedSystemClock {
  private static final String SERVER_PROPERTY = "weir.redis.server";
  private static final Path LIBRARY = compileLibrary();

  private final Path skewFile;

  SkewedSystemClock() {
    ToolRequirement.require(Files.exists(LIBRARY), "no C compiler (cc) to build the clock library");
    try {
      skewFile = deleteAtExit(Files.createTempFile(LIBRARY.getParent(), "skew", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sets how far the clock is ahead from now on. */
  SkewedSystemClock setAhead(Duration offset) {
    try {
      Path next =
          Files.writeString(
              skewFile.resolveSibling(skewFile.getFileName() + "-"), offset.toSeconds() + "\n");
      Files.move(next, skewFile, StandardCopyOption.ATOMIC_MOVE);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the environment variables of a process with this clock. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", LIBRARY.toString(), "WEIR_SKEW", skewFile.toString());
  }

  /** Starts a server with this clock; the embedded one is linked statically and cannot have it. */
  RedisProcess startRedis() {
    Path program =
        List.of(Path.of("/usr/bin/redis-server"), Path.of("/usr/bin/redis-check-rdb")).stream()
            .filter(Files::exists)
            .findFirst()
            .orElse(Path.of(""));
    ToolRequirement.require(
        Files.isExecutable(program) && !program.toString().isEmpty(),
        "no dynamically linked Redis to run with a wrong clock; apt-get install redis-tools");
    String previous = System.getProperty(SERVER_PROPERTY, "");
    try {
      // the program acts as the server if it has this name
      Path server = deleteAtExit(LIBRARY.resolveSibling("redis-server"));
      if (!Files.exists(server)) {
        Files.createSymbolicLink(server, program);
      }
      Path script = deleteAtExit(LIBRARY.resolveSibling("redis-server-with-wrong-clock"));
      StringBuilder text = new StringBuilder("#!/bin/sh\n");
      environment().forEach((name, value) -> text.append("export " + name + "=" + value + "\n"));
      Files.writeString(script, text + "exec " + server + " \"$@\"\n", US_ASCII);
      System.setProperty(SERVER_PROPERTY, script.toString());
      if (!script.toFile().setExecutable(true)) {
        throw new AssertionError("cannot make executable: " + script);
      }
      return RedisProcess.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      System.setProperty(SERVER_PROPERTY, previous);
    }
  }

  private static Path compileLibrary() {
    try (InputStream source = SkewedSystemClock.class.getResourceAsStream("skew.c")) {
      if (source == null) {
        throw new IllegalStateException("skew.c is missing");
      }
      Path folder = deleteAtExit(Files.createTempDirectory("weir-clock-"));
      Path library = deleteAtExit(folder.resolve("skew.so"));
      Path text = deleteAtExit(folder.resolve("skew.c"));
      Files.copy(source, text);
      Process compiler =
          new ProcessBuilder(
                  "cc", "-shared", "-fPIC", "-O1", "-o", library.toString(), text.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!compiler.waitFor(30, TimeUnit.SECONDS)) {
        compiler.destroyForcibly();
      }
      return library;
    } catch (IOException e) {
      return Path.of("/no C compiler");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Path deleteAtExit(Path path) {
    path.toFile().deleteOnExit();
    return path;
  }
}
