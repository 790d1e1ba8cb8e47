package io.weir.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import io.weir.gateway.routing.Upstream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * The connection pools of one event loop to one upstream. They are bounded and kept alive.
 * Upstreams do not share pools, so one that does not respond cannot exhaust the connections of
 * another.
 */
final class UpstreamConnections {
  private static final Logger LOG = System.getLogger(UpstreamConnections.class.getName());

  /**
   * Shorter than the usual keep-alive timeout of servers, so that the gateway closes first and
   * sends no request on a connection that the upstream is closing.
   */
  private static final int KEEP_ALIVE_SECONDS = 4;

  private static final int MAX_HEADER_BYTES = 64 * 1024;

  /** HTTP/2 connections of one event loop; each carries many requests. */
  private static final int MAX_HTTP2_CONNECTIONS = 4;

  private static final int MAX_STREAMS = 256;
  private static final int STREAM_WINDOW_BYTES = 64 * 1024;

  /** Has room for the windows of all streams, so that slow readers of some do not stop others. */
  private static final int CONNECTION_WINDOW_BYTES = MAX_STREAMS * STREAM_WINDOW_BYTES;

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
      UpstreamSettings settings,
      UpstreamMetrics metrics,
      TimeoutWheel timeoutWheel) {
    this.upstream = upstream;
    this.settings = settings;
    this.metrics = metrics;
    this.timeoutWheel = timeoutWheel;
    address = SocketAddress.inetSocketAddress(upstream.port(), upstream.host());
    requestClient = newClient(vertx, requestOptions(), settings.maxConnections());
    webSocketClient = newClient(vertx, options(), settings.maxWebSockets());
  }

  private HttpClientAgent newClient(Vertx vertx, HttpClientOptions options, int connections) {
    return vertx
        .httpClientBuilder()
        .with(options)
        .with(
            new PoolOptions()
                .setHttp1MaxSize(connections)
                .setHttp2MaxSize(Math.min(connections, MAX_HTTP2_CONNECTIONS))
                .setMaxWaitQueueSize(settings.maxWaitingRequests()))
        .withConnectHandler(connection -> connection.exceptionHandler(this::logConnectionFailure))
        .build();
  }

  /** The options for requests other than WebSockets, which are HTTP/1.1 only. */
  private HttpClientOptions requestOptions() {
    HttpClientOptions options = options();
    if (upstream.protocol() != Upstream.Protocol.HTTP_1) {
      options
          .setProtocolVersion(HttpVersion.HTTP_2)
          .setUseAlpn(upstream.tls())
          .setHttp2ClearTextUpgrade(false)
          .setHttp2MultiplexingLimit(MAX_STREAMS)
          .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
          .setInitialSettings(
              new Http2Settings()
                  .setPushEnabled(false)
                  .setInitialWindowSize(STREAM_WINDOW_BYTES)
                  .setMaxHeaderListSize(MAX_HEADER_BYTES));
    }
    return options;
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

  /** Debug level, since the caller gets an error response for every failed request. */
  private void logConnectionFailure(Throwable e) {
    LOG.log(Level.DEBUG, "{0}: {1}", upstream.authority(), String.valueOf(e.getMessage()));
  }

  Upstream upstream() {
    return upstream;
  }

  UpstreamSettings settings() {
    return settings;
  }

  /** The timeout wheel of the event loop. */
  TimeoutWheel timeoutWheel() {
    return timeoutWheel;
  }

  UpstreamMetrics metrics() {
    return metrics;
  }

  /** Opens or reuses a connection for a request; nothing is sent yet. */
  Future<HttpClientRequest> request(String method, String target) {
    return suppressExceptions(requestClient.request(options(HttpMethod.valueOf(method), target)));
  }

  /** Same for a WebSocket; these are long-lived and have a pool of their own. */
  Future<HttpClientRequest> webSocketRequest(String target) {
    return suppressExceptions(webSocketClient.request(options(HttpMethod.GET, target)));
  }

  /** Prevents Vert.x from logging each failure; the future of the response reports it too. */
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
