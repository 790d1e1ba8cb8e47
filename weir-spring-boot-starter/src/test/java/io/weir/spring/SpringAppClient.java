package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;

/** An HTTP client for an application under test. */
record SpringAppClient(int port) {
  /*
   * Every call uses its own connection: Reactor Netty 1.3.7 stops reading a connection if the next
   * request arrives while the last one is being completed and is then answered immediately.
   */
  static {
    System.setProperty("jdk.httpclient.allowRestrictedHeaders", "connection");
  }

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  static SpringAppClient forApplication(ApplicationContext app) {
    Environment environment = app.getEnvironment();
    return new SpringAppClient(
        Integer.parseInt(environment.getRequiredProperty("local.server.port")));
  }

  HttpResponse<String> get(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Connection", "close")
            .timeout(Duration.ofSeconds(60));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return CLIENT.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError("no response to " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Sends a request with basic authentication. */
  HttpResponse<String> getAs(String user, String password, String path, String... more) {
    String login = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
    String[] headers = new String[more.length + 2];
    headers[0] = "Authorization";
    headers[1] = "Basic " + login;
    System.arraycopy(more, 0, headers, 2, more.length);
    return get(path, headers);
  }

  int status(String path, String... headers) {
    return get(path, headers).statusCode();
  }
}
