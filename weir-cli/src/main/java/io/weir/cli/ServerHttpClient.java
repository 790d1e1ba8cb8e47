package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The HTTP client for a running server; a failed call throws a one-line error. */
final class ServerHttpClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

  private final String address;
  private final HttpClient client;

  private ServerHttpClient(String address, HttpClient client) {
    this.address = address;
    this.client = client;
  }

  /** The response of a server. */
  record ServerHttpResponse(int status, String body) {

    /** Returns the status, with the error message if the body is one of Weir. */
    String errorText() {
      try {
        String message = new JsonObject(body).getString("message", "");
        return status + (message.isEmpty() ? "" : ": " + TerminalText.sanitize(message));
      } catch (DecodeException | ClassCastException e) {
        return status + ", and may not be Weir";
      }
    }
  }

  /**
   * Returns a client for one server.
   *
   * @param caFile trusted certificates (PEM); those of the JDK if null
   */
  static ServerHttpClient create(String url, @Nullable Path caFile) {
    try {
      URI uri = new URI(url);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!web || uri.getHost() == null || uri.getQuery() != null || uri.getUserInfo() != null) {
        throw new CommandException(
            "server must be a URL such as http://127.0.0.1:8080 (was '" + url + "')");
      }
    } catch (URISyntaxException e) {
      throw new CommandException(
          "server must be a URL such as http://127.0.0.1:8080 (was '" + url + "')", e);
    }
    HttpClient.Builder client =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT_TIMEOUT)
            .version(HttpClient.Version.HTTP_1_1);
    if (caFile != null) {
      client.sslContext(TrustedCertificates.sslContext(caFile));
    }
    return new ServerHttpClient(url.replaceAll("/+$", ""), client.build());
  }

  String address() {
    return address;
  }

  /** Sends JSON and waits for the response, whatever its status. */
  ServerHttpResponse send(String method, String path, Map<String, String> headers, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + path))
            .timeout(RESPONSE_TIMEOUT)
            .header("Content-Type", "application/json")
            .method(
                method,
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body, UTF_8));
    headers.forEach(request::header);
    try {
      HttpResponse<String> response =
          client
              .sendAsync(request.build(), BodyHandlers.ofString(UTF_8))
              .get(RESPONSE_TIMEOUT.toSeconds() + 1, TimeUnit.SECONDS);
      return new ServerHttpResponse(response.statusCode(), response.body());
    } catch (ExecutionException e) {
      throw failure(e.getCause() instanceof IOException cause ? cause : new IOException(e));
    } catch (TimeoutException e) {
      throw failure(new IOException("timed out", e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted while waiting for " + address, e);
    }
  }

  private CommandException failure(IOException e) {
    return new CommandException(address + " " + reason(e), e);
  }

  private String reason(IOException e) {
    String message = TerminalText.sanitize(String.valueOf(e.getMessage()));
    if (e instanceof ConnectException || e instanceof HttpConnectTimeoutException) {
      return "cannot be reached; start a server there with weir serve, or use --server URL";
    }
    if (e instanceof SSLException) {
      return message.contains("PKIX")
          ? "has an untrusted certificate; use --ca FILE with the certificate or its issuer"
          : "cannot be called over TLS (" + message + "); for plain HTTP, use http://";
    }
    if (message.contains("timed out")) {
      return "did not respond within " + RESPONSE_TIMEOUT.toSeconds() + " seconds; check its log";
    }
    return "did not respond in HTTP (" + message + "); for TLS, use https://";
  }
}
