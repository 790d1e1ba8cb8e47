package io.weir.server;

import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A server for tests, on free ports and with the given rules, and an HTTP client for it. */
public final class RunningServer implements AutoCloseable {
  private final DecisionServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  private final Path rules;

  private RunningServer(DecisionServer server, Path rules) {
    this.server = server;
    this.rules = rules;
  }

  /**
   * Starts a server.
   *
   * @param folder an empty directory for its files
   * @param flags alternating setting names and values; by default only the HTTP listener is open
   */
  public static RunningServer start(Path folder, String rules, String... flags) {
    try {
      Path file = Files.writeString(folder.resolve("rules.yaml"), rules);
      Map<String, String> settings = new HashMap<>();
      settings.put("rules", "file:" + file);
      settings.put("data", folder.toString());
      settings.put("node", "test");
      settings.put("http-port", "0");
      settings.put("http-host", "127.0.0.1");
      settings.put("grpc-port", "off");
      settings.put("gateway-port", "off");
      settings.put("admin-port", "off");
      for (int i = 0; i < flags.length; i += 2) {
        settings.put(flags[i], flags[i + 1]);
      }
      return new RunningServer(DecisionServer.start(ServerConfig.of(settings)), file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces the content of the rule file, which the server watches. */
  public void replaceRules(String text) {
    try {
      Files.writeString(rules, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public DecisionServer server() {
    return server;
  }

  public int port(String listener) {
    return server.port(listener).orElseThrow();
  }

  /** Sends a POST request to the decision API. */
  public HttpResponse<String> post(String path, String body) {
    return send("POST", path, body);
  }

  /** Sends a request to the decision API. */
  public HttpResponse<String> send(String method, String path, String body) {
    URI uri = URI.create("http://127.0.0.1:" + port("http") + path);
    try {
      return client.send(
          HttpRequest.newBuilder(uri).method(method, BodyPublishers.ofString(body)).build(),
          BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The body of a check request for one user. */
  public static String checkBody(String user, long cost) {
    return "{\"attributes\":{\"user\":\"" + user + "\"},\"cost\":" + cost + "}";
  }

  /** The HTTP status of a check for one user, at cost 1. */
  public int checkStatus(String user) {
    return post("/v1/check", checkBody(user, 1)).statusCode();
  }

  @Override
  public void close() {
    server.close();
  }
}
