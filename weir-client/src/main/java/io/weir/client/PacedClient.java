package io.weir.client;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpClient} that keeps to the limits it is told of: calls wait for their turn before
 * they would be refused, and what is refused or fails is sent again where that is safe. Waiting
 * holds no thread but that of a caller of {@link #send}.
 *
 * <p>A call is sent within the {@linkplain Pacing.PacingBuilder#maxWait longest wait} or fails with
 * a {@link PacingException}; the last answer is the one returned, be it a refusal. The timeout of a
 * request holds for each attempt.
 */
public final class PacedClient extends HttpClient {
  private final HttpClient client;
  private final Pacing pacing;
  private final Duration maxWait;

  private PacedClient(HttpClient client, Pacing pacing, Duration longestWait) {
    this.client = client;
    this.pacing = pacing;
    this.maxWait = longestWait;
  }

  /** Paces a client as usual. */
  public static PacedClient over(HttpClient client) {
    return over(client, Pacing.defaults());
  }

  public static PacedClient over(HttpClient client, Pacing pacing) {
    return new PacedClient(client, pacing, pacing.maxWait());
  }

  /**
   * The same client for calls that may wait as long as this.
   *
   * @throws IllegalArgumentException if it is not more than zero, or more than a day
   */
  public PacedClient within(Duration longest) {
    return new PacedClient(client, pacing, Pacing.checkWait(longest));
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> answer = sendAsync(request, handler);
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      throw RetryingExchange.toIoException(e);
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return sendAsync(request, handler, null);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
    boolean keyed = request.headers().firstValue("Idempotency-Key").isPresent();
    PacedCall trip = pacing.newCall(request.method(), request.uri(), keyed, maxWait);
    RetryingExchange<T> journey =
        new RetryingExchange<>(
            trip,
            told -> client.sendAsync(request, told, pushes),
            handler,
            info -> pacing.readAnswer(info.statusCode(), info.headers()::allValues));
    journey.start();
    return journey;
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }
}
