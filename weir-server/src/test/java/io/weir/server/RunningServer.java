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

/** A server of a test, on free ports, with the rules of a text; and a client to it. */
public final class RunningServer implements AutoCloseable {
  private final DecisionServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  private final Path rules;

  private RunningServer(DecisionServer server, Path rules) {
    this.server = server;
    this.rules = rules;
  }

  /**
   * Starts one.
   *
   * @param folder of its own
   * @param flags names and values in turn, over the usual: HTTP open, all other doors closed
   */
  public static RunningServer start(Path folder, String rules, String... flags) {
    try {
      Path file = Files.writeString(folder.resolve("rules.yaml"), rules);
      Map<String, String> all = new HashMap<>();
      all.put("rules", "file:" + file);
      all.put("data", folder.toString());
      all.put("node", "test");
      all.put("http-port", "0");
      all.put("http-host", "127.0.0.1");
      all.put("grpc-port", "off");
      all.put("gateway-port", "off");
      all.put("admin-port", "off");
      for (int i = 0; i < flags.length; i += 2) {
        all.put(flags[i], flags[i + 1]);
      }
      return new RunningServer(DecisionServer.start(ServerConfig.of(all)), file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts other rules in its file, which it follows. */
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

  public int port(String door) {
    return server.port(door).orElseThrow();
  }

  /** The answer to a POST to the decision API. */
  public HttpResponse<String> post(String path, String body) {
    return send("POST", path, body);
  }

  /** The answer of the decision API to any request. */
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

  /** The body of a check of one caller. */
  public static String checkBody(String user, long cost) {
    return "{\"attributes\":{\"user\":\"" + user + "\"},\"cost\":" + cost + "}";
  }

  /** The status of a check of one caller, at cost 1. */
  public int checkStatus(String user) {
    return post("/v1/check", checkBody(user, 1)).statusCode();
  }

  @Override
  public void close() {
    server.close();
  }
}
