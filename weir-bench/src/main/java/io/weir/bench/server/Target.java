package io.weir.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a JVM of its own, which says at which ports it is; ended when closed. */
final class Target implements AutoCloseable {
  private static final Pattern DOOR =
      Pattern.compile("^ +(http|grpc) +https?://127\\.0\\.0\\.1:(\\d+)");
  private static final Path SERVER = Path.of("weir-server", "target");

  private final Process process;
  private final Map<String, Integer> ports = new HashMap<>();

  private Target(Process process) {
    this.process = process;
  }

  /** Weir with these flags. */
  static Target weir(Path rules, Path data, String... flags) throws IOException {
    List<String> args = new ArrayList<>(List.of("serve", "--rules", "file:" + rules));
    args.addAll(List.of("--data", data.toString(), "--admin-port", "off", "--gateway-port", "off"));
    args.addAll(List.of("--http-port", "0", "--grpc-port", "0"));
    args.addAll(List.of(flags));
    return start("io.weir.server.cli.Main", args);
  }

  /** Endpoints of the same framework that decide nothing: the floor. */
  static Target bare() throws IOException {
    return start("io.weir.bench.server.BareServer", List.of()); // not on this class path
  }

  private static Target start(String main, List<String> args) throws IOException {
    String path =
        SERVER.resolve("weir-server.jar")
            + File.pathSeparator
            + SERVER.resolve("lib")
            + File.separator
            + "*"
            + File.pathSeparator
            + Path.of("weir-bench", "target", "classes");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-cp", path, main));
    command.addAll(args);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Target target = new Target(builder.start());
    target.readPorts();
    return target;
  }

  private void readPorts() throws IOException {
    BufferedReader out = process.inputReader(UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher door = DOOR.matcher(line);
      if (door.find()) {
        ports.put(door.group(1), Integer.parseInt(door.group(2)));
      }
      if (line.startsWith("  admin")) {
        return;
      }
    }
    throw new IOException("a server did not start");
  }

  int port(String door) {
    return Objects.requireNonNull(ports.get(door), door);
  }

  /** The CPU time it has used so far, in microseconds. */
  double cpuMicros() {
    return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e3;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
