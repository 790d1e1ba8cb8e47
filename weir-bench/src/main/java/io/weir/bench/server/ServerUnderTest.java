package io.weir.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A server in a separate process, which is stopped on close. */
final class ServerUnderTest implements AutoCloseable {
  private static final Pattern LISTENER_LINE =
      Pattern.compile("^ +(http|grpc|gateway) +https?://127\\.0\\.0\\.1:(\\d+)");
  private static final Path SERVER_FOLDER = Path.of("weir-cli", "target");

  private final Process process;
  private final Map<String, Integer> ports = new HashMap<>();

  private ServerUnderTest(Process process) {
    this.process = process;
  }

  /** Starts Weir's decision API with these flags. */
  static ServerUnderTest startServer(Path rules, Path data, String... flags) throws IOException {
    List<String> args = serveArguments(rules, data, flags);
    args.addAll(List.of("--gateway-port", "off", "--http-port", "0", "--grpc-port", "0"));
    return startJava("io.weir.cli.Main", args);
  }

  /** Starts Weir's decision API by a launcher, such as the script {@code ./weir}. */
  static ServerUnderTest startLauncher(
      List<String> launcher, Path rules, Path data, String... flags) throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(serveArguments(rules, data, flags));
    command.addAll(List.of("--gateway-port", "off", "--http-port", "0", "--grpc-port", "0"));
    ServerUnderTest target = new ServerUnderTest(startProcess(command));
    target.readPorts();
    return target;
  }

  /** Starts Weir's gateway with an upstream. */
  static ServerUnderTest startGateway(Path rules, Path data, int upstream) throws IOException {
    List<String> args =
        serveArguments(
            rules, data, "--gateway-port", "0", "--upstream", "http://127.0.0.1:" + upstream);
    args.addAll(List.of("--http-port", "off", "--grpc-port", "off"));
    return startJava("io.weir.cli.Main", args);
  }

  private static List<String> serveArguments(Path rules, Path data, String... flags) {
    List<String> args = new ArrayList<>(List.of("serve", "--rules", "file:" + rules));
    args.addAll(List.of("--data", data.toString(), "--admin-port", "off"));
    args.addAll(List.of(flags));
    return args;
  }

  /** Starts a program that listens on a given port. */
  static ServerUnderTest startProgram(String listener, int port, String... command)
      throws IOException {
    ServerUnderTest target = new ServerUnderTest(startProcess(List.of(command)));
    target.ports.put(listener, port);
    target.awaitListening(port);
    return target;
  }

  /** Starts a server with the same framework and without decisions, as the baseline. */
  static ServerUnderTest startBareServer() throws IOException {
    return startJava("io.weir.bench.server.BareServer", List.of()); // not on this class path
  }

  private static ServerUnderTest startJava(String main, List<String> args) throws IOException {
    String path =
        SERVER_FOLDER.resolve("weir-server.jar")
            + File.pathSeparator
            + SERVER_FOLDER.resolve("lib")
            + File.separator
            + "*"
            + File.pathSeparator
            + Path.of("weir-bench", "target", "classes");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-cp", path, main));
    command.addAll(args);
    ServerUnderTest target = new ServerUnderTest(startProcess(command));
    target.readPorts();
    return target;
  }

  private static Process startProcess(List<String> command) throws IOException {
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private void awaitListening(int port) throws IOException {
    for (int i = 0; i < 600 && !exitsWithin(50); i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (ConnectException e) {
        // not listening yet
      }
    }
    close();
    throw new IOException("the program did not start");
  }

  private boolean exitsWithin(long millis) throws IOException {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void readPorts() throws IOException {
    BufferedReader out = process.inputReader(UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher listener = LISTENER_LINE.matcher(line);
      if (listener.find()) {
        ports.put(listener.group(1), Integer.parseInt(listener.group(2)));
      }
      if (line.startsWith("  admin")) {
        return;
      }
    }
    throw new IOException("the server did not start");
  }

  int port(String listener) {
    return Objects.requireNonNull(ports.get(listener), listener);
  }

  /** Returns the CPU time of the process and its children so far, in microseconds. */
  double cpuMicros() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .mapToDouble(p -> p.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e3)
        .sum();
  }

  /** Returns the resident memory of the process; 0 where the system does not tell. */
  double residentMegabytes() throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    if (!Files.isReadable(status)) {
      return 0;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
        .sum();
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
