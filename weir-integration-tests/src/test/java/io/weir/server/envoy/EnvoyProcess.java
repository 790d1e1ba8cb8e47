package io.weir.server.envoy;

import io.weir.testkit.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running Envoy. Its configuration must have one listener, on a free port. */
final class EnvoyProcess implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);
  private static final String ADMIN_CONFIGURATION =
      "admin: { address: { socket_address: { address: 127.0.0.1, port_value: 0 } } }\n";
  private static final Pattern LISTENER_PORT = Pattern.compile("::[0-9.]+:(\\d+)");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final Path log;
  private final int port;

  EnvoyProcess(Path binary, String configuration, Path folder) {
    try {
      Path file =
          Files.writeString(
              Files.createTempFile(folder, "envoy", ".yaml"), configuration + ADMIN_CONFIGURATION);
      Path admin = folder.resolve(file.getFileName() + ".admin");
      log = folder.resolve(file.getFileName() + ".log");
      process =
          new ProcessBuilder(
                  binary.toString(),
                  "-c",
                  file.toString(),
                  "--admin-address-path",
                  admin.toString(),
                  "--concurrency",
                  "1",
                  "--disable-hot-restart",
                  "--log-level",
                  "warning")
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .redirectInput(new File("/dev/null"))
              .start();
      try {
        Await.until(START_TIMEOUT, "Envoy is ready: " + log, () -> isReady(admin));
        port = listenerPort(admin);
      } catch (RuntimeException | Error e) {
        process.destroyForcibly();
        throw new AssertionError(Files.readString(log), e);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isReady(Path admin) {
    try {
      return Files.exists(admin)
          && !Files.readString(admin).isBlank()
          && getFromAdmin(admin, "/ready").statusCode() == 200;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  private int listenerPort(Path admin) throws IOException {
    String listeners = getFromAdmin(admin, "/listeners").body();
    Matcher found = LISTENER_PORT.matcher(listeners);
    if (!found.find()) {
      throw new IllegalStateException("no listener in " + listeners);
    }
    return Integer.parseInt(found.group(1));
  }

  private HttpResponse<String> getFromAdmin(Path admin, String path) throws IOException {
    return send(HttpRequest.newBuilder(URI.create("http://" + Files.readString(admin) + path)));
  }

  /** Sends a request of a user and returns the response. */
  HttpResponse<String> get(String path, String user) {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    try {
      return send(HttpRequest.newBuilder(uri).header("x-user", user));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
    try {
      return client.send(request.timeout(REQUEST_TIMEOUT).build(), BodyHandlers.ofString());
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
