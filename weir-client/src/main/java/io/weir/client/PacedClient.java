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
 * An {@link HttpClient} that stays within the limits that services report: calls are delayed before
 * they would be refused, and refused or failed calls are retried if that is safe. Waiting blocks no
 * thread except that of a caller of {@link #send}.
 *
 * <p>A call is sent within the {@linkplain Pacing.PacingBuilder#maxWait maximum wait} or fails with
 * a {@link PacingException}; the last response is returned, even if it is a refusal. The timeout of
 * a request applies to each attempt.
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

  /** Paces a client with default settings. */
  public static PacedClient over(HttpClient client) {
    return over(client, Pacing.defaults());
  }

  public static PacedClient over(HttpClient client, Pacing pacing) {
    return new PacedClient(client, pacing, pacing.maxWait());
  }

  /**
   * Returns the same client with another maximum wait.
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
    PacedCall call = pacing.newCall(request.method(), request.uri(), keyed, maxWait);
    RetryingExchange<T> exchange =
        new RetryingExchange<>(
            call,
            attemptHandler -> client.sendAsync(request, attemptHandler, pushes),
            handler,
            info -> pacing.readAnswer(info.statusCode(), info.headers()::allValues));
    exchange.start();
    return exchange;
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
