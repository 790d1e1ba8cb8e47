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
final class Connections {
  private static final Logger LOG = System.getLogger(Connections.class.getName());

  /** Shorter than servers commonly keep idle connections, for whoever closes first is safe. */
  private static final int KEEP_ALIVE_SECONDS = 4;

  private static final int MAX_HEADER_BYTES = 64 * 1024;
  private static final int MAX_LINE_BYTES = 8 * 1024;

  private final HttpClientAgent client;
  private final HttpClientAgent tunnels;
  private final Upstream upstream;
  private final SocketAddress address;
  private final Limits limits;
  private final Counts counts;
  private final Watchman watchman;

  Connections(Vertx vertx, Upstream upstream, Limits limits, Counts counts, Watchman watchman) {
    this.upstream = upstream;
    this.limits = limits;
    this.counts = counts;
    this.watchman = watchman;
    address = SocketAddress.inetSocketAddress(upstream.port(), upstream.host());
    client = client(vertx, limits.connections());
    tunnels = client(vertx, limits.tunnels());
  }

  private HttpClientAgent client(Vertx vertx, int connections) {
    return vertx
        .httpClientBuilder()
        .with(options())
        .with(new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(limits.waiting()))
        .withConnectHandler(connection -> connection.exceptionHandler(this::note))
        .build();
  }

  private HttpClientOptions options() {
    HttpClientOptions options =
        new HttpClientOptions()
            .setSsl(upstream.tls())
            .setConnectTimeout((int) limits.connect())
            .setSslHandshakeTimeout(limits.connect())
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_LINE_BYTES);
    limits
        .authorities()
        .ifPresent(
            file -> options.setTrustOptions(new PemTrustOptions().addCertPath(file.toString())));
    return options;
  }

  /** The caller is told; here it would be a line for every request to an upstream that is ill. */
  private void note(Throwable e) {
    LOG.log(Level.DEBUG, "{0}: {1}", upstream.authority(), String.valueOf(e.getMessage()));
  }

  Upstream upstream() {
    return upstream;
  }

  Limits limits() {
    return limits;
  }

  /** Of the event loop. */
  Watchman watchman() {
    return watchman;
  }

  Counts counts() {
    return counts;
  }

  /** A request on a connection of its own, with nothing sent yet. */
  Future<HttpClientRequest> request(String method, String target) {
    return quiet(client.request(options(HttpMethod.valueOf(method), target)));
  }

  /** The same for a WebSocket: those last, and have a number of their own. */
  Future<HttpClientRequest> tunnel(String target) {
    return quiet(tunnels.request(options(HttpMethod.GET, target)));
  }

  /** Without a line in the log for each that fails: the answer's future says the same. */
  private static Future<HttpClientRequest> quiet(Future<HttpClientRequest> future) {
    return future.onSuccess(request -> request.exceptionHandler(e -> {}));
  }

  private RequestOptions options(HttpMethod method, String target) {
    return new RequestOptions()
        .setServer(address)
        .setHost(upstream.host())
        .setPort(upstream.port())
        .setMethod(method)
        .setURI(target)
        .setConnectTimeout(limits.connect());
  }
}
