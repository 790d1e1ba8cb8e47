package io.weir.server.proxies;

import io.weir.testkit.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of a real nginx or HAProxy, with a configuration from {@code deploy}. */
final class ProxyProcess implements AutoCloseable {
  private static final Path DEPLOY_DIRECTORY = Path.of("..", "deploy").toAbsolutePath().normalize();
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Process process;
  private final int port;

  private ProxyProcess(List<String> command, Path folder, int port) {
    this.port = port;
    Path log = folder.resolve("proxy.log");
    try {
      process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .redirectInput(new File("/dev/null"))
              .start();
      try {
        Await.until(
            START_TIMEOUT, "the proxy listens", () -> !process.isAlive() || isListening(port));
        if (!process.isAlive()) {
          throw new IllegalStateException("the proxy has exited");
        }
      } catch (RuntimeException | Error e) {
        process.destroyForcibly();
        throw new AssertionError(Files.readString(log), e);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Finds an installed program on the path or in the usual directories of servers. */
  static Optional<Path> findExecutable(String name) {
    Stream<String> path =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1));
    return Stream.concat(path, Stream.of("/usr/sbin", "/usr/local/sbin", "/usr/local/bin"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts nginx with a file from {@code deploy/nginx}, with its addresses replaced. */
  static ProxyProcess nginx(Path folder, String file, Map<String, String> addresses) {
    int port = freePort();
    String here = folder + "/";
    String temporary =
        "http { client_body_temp_path %sb; proxy_temp_path %sp; fastcgi_temp_path %sf;"
            + " uwsgi_temp_path %su; scgi_temp_path %ss; access_log off;";
    String text =
        readConfiguration("nginx/" + file, addresses)
            .replace("listen 8000;", "listen 127.0.0.1:" + port + ";")
            .replace("http {", temporary.replace("%s", here));
    Path config = write(folder, "nginx.conf", text);
    String globals = "daemon off; pid " + here + "nginx.pid;";
    return new ProxyProcess(
        List.of(binary("nginx"), "-e", "stderr", "-c", config.toString(), "-g", globals),
        folder,
        port);
  }

  /** Starts HAProxy with a file from {@code deploy/haproxy}, with its addresses replaced. */
  static ProxyProcess haproxy(Path folder, String file, Map<String, String> addresses) {
    int port = freePort();
    write(folder, "weir.lua", readConfiguration("haproxy/weir.lua", Map.of()));
    String text =
        readConfiguration("haproxy/" + file, addresses)
            .replace("bind :8000", "bind 127.0.0.1:" + port)
            .replace("abns@weir", "abns@weir-" + port); // abstract socket names are global
    Path config = write(folder, "haproxy.cfg", text);
    return new ProxyProcess(
        List.of(binary("haproxy"), "-db", "-f", config.toString()), folder, port);
  }

  private static String binary(String name) {
    return findExecutable(name).orElseThrow().toString();
  }

  private static String readConfiguration(String file, Map<String, String> addresses) {
    try {
      String text = Files.readString(DEPLOY_DIRECTORY.resolve(file));
      for (var address : addresses.entrySet()) {
        if (!text.contains(address.getKey())) {
          throw new AssertionError(file + " has no " + address.getKey());
        }
        text = text.replace(address.getKey(), address.getValue());
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path write(Path folder, String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  int port() {
    return port;
  }

  /** Sends a GET request with these header fields: alternating names and values. */
  HttpResponse<String> get(String path, String... fields) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(60));
    if (fields.length > 0) {
      request.headers(fields);
    }
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
