package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one event loop to one upstream: bounded, kept alive, and shared with no other
 * upstream, so that one that does not answer uses up nobody else's.
 */
final class UpstreamConnections {
  private static final Logger LOG = System.getLogger(UpstreamConnections.class.getName());

  /** Shorter than servers commonly keep idle connections, for whoever closes first is safe. */
  private static final int KEEP_ALIVE_SECONDS = 4;

  private static final int MAX_HEADER_BYTES = 64 * 1024;
  private static final int MAX_STATUS_LINE_BYTES = 8 * 1024;

  private final HttpClientAgent requestClient;
  private final HttpClientAgent webSocketClient;
  private final Upstream upstream;
  private final SocketAddress address;
  private final UpstreamSettings settings;
  private final UpstreamMetrics metrics;
  private final TimeoutWheel timeoutWheel;

  UpstreamConnections(
      Vertx vertx,
      Upstream upstream,
      UpstreamSettings limits,
      UpstreamMetrics counts,
      TimeoutWheel watchman) {
    this.upstream = upstream;
    this.settings = limits;
    this.metrics = counts;
    this.timeoutWheel = watchman;
    address = SocketAddress.inetSocketAddress(upstream.port(), upstream.host());
    requestClient = newClient(vertx, limits.maxConnections());
    webSocketClient = newClient(vertx, limits.maxWebSockets());
  }

  private HttpClientAgent newClient(Vertx vertx, int connections) {
    return vertx
        .httpClientBuilder()
        .with(options())
        .with(
            new PoolOptions()
                .setHttp1MaxSize(connections)
                .setMaxWaitQueueSize(settings.maxWaitingRequests()))
        .withConnectHandler(connection -> connection.exceptionHandler(this::logConnectionFailure))
        .build();
  }

  private HttpClientOptions options() {
    HttpClientOptions options =
        new HttpClientOptions()
            .setSsl(upstream.tls())
            .setConnectTimeout((int) settings.connectTimeoutMillis())
            .setSslHandshakeTimeout(settings.connectTimeoutMillis())
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_STATUS_LINE_BYTES);
    settings
        .trustedCertificates()
        .ifPresent(
            file -> options.setTrustOptions(new PemTrustOptions().addCertPath(file.toString())));
    return options;
  }

  /** The caller is told; here it would be a line for every request to an upstream that is ill. */
  private void logConnectionFailure(Throwable e) {
    LOG.log(Level.DEBUG, "{0}: {1}", upstream.authority(), String.valueOf(e.getMessage()));
  }

  Upstream upstream() {
    return upstream;
  }

  UpstreamSettings settings() {
    return settings;
  }

  /** Of the event loop. */
  TimeoutWheel timeoutWheel() {
    return timeoutWheel;
  }

  UpstreamMetrics metrics() {
    return metrics;
  }

  /** A request on a connection of its own, with nothing sent yet. */
  Future<HttpClientRequest> request(String method, String target) {
    return suppressExceptions(requestClient.request(options(HttpMethod.valueOf(method), target)));
  }

  /** The same for a WebSocket: those last, and have a number of their own. */
  Future<HttpClientRequest> webSocketRequest(String target) {
    return suppressExceptions(webSocketClient.request(options(HttpMethod.GET, target)));
  }

  /** Without a line in the log for each that fails: the answer's future says the same. */
  private static Future<HttpClientRequest> suppressExceptions(Future<HttpClientRequest> future) {
    return future.onSuccess(request -> request.exceptionHandler(e -> {}));
  }

  private RequestOptions options(HttpMethod method, String target) {
    return new RequestOptions()
        .setServer(address)
        .setHost(upstream.host())
        .setPort(upstream.port())
        .setMethod(method)
        .setURI(target)
        .setConnectTimeout(settings.connectTimeoutMillis());
  }
}
