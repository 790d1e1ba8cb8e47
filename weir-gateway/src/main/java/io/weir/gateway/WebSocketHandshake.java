package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import io.weir.Decision;
import io.weir.http.RateLimitHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Forwards a WebSocket handshake to an upstream and, if the upstream accepts, connects both sides.
 * If the upstream declines, its response is forwarded like any other.
 */
final class WebSocketHandshake implements TimeoutWheel.TimeoutTarget {
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final int KEY_LENGTH = 24;
  private static final String WEBSOCKET = "websocket";

  private final UpstreamHeaderWriter headerWriter;
  private final UpstreamRoute route;
  private final UpstreamExchange declined;
  private final UpstreamConnections connections;
  private final WebSocketBridge webSocketBridge;
  private final ProxiedRequest proxiedRequest;
  private final Decision decision;
  private @Nullable HttpClientRequest upstreamRequest;
  private long sentAtMillis;
  private boolean finished;

  /**
   * @param declined forwards the response of an upstream that declines
   */
  WebSocketHandshake(
      UpstreamHeaderWriter headerWriter,
      UpstreamRoute route,
      UpstreamExchange declined,
      WebSocketBridge webSocketBridge,
      ProxiedRequest proxied,
      Decision decision) {
    this.headerWriter = headerWriter;
    this.route = route;
    this.declined = declined;
    this.connections = declined.connections();
    this.webSocketBridge = webSocketBridge;
    this.proxiedRequest = proxied;
    this.decision = decision;
  }

  /** Whether a request is a valid WebSocket handshake (RFC 6455, 4.2.1). */
  static boolean isRequested(HttpServerRequest http, RequestBodyForwarder upload) {
    MultiMap fields = http.headers();
    if (!fields.contains(HttpHeaders.UPGRADE)) {
      return false;
    }
    String key = fields.get("Sec-WebSocket-Key");
    return http.version() == HttpVersion.HTTP_1_1
        && http.method().equals(HttpMethod.GET)
        && upload.isEmpty()
        && fields.getAll(HttpHeaders.UPGRADE).size() == 1
        && WEBSOCKET.equalsIgnoreCase(fields.get(HttpHeaders.UPGRADE))
        && HopByHopHeaders.hasElement(fields, HttpHeaders.CONNECTION, "upgrade")
        && key != null
        && key.length() == KEY_LENGTH;
  }

  void start() {
    proxiedRequest.recordUpstream(connections.upstream());
    connections
        .webSocketRequest(route.rewritten(proxiedRequest.call().endpoint().target()))
        .onComplete(this::send, cause -> fail(ForwardingFailure.fromConnectFailure(cause)));
  }

  private void send(HttpClientRequest request) {
    if (finished) {
      request.reset();
      return;
    }
    upstreamRequest = request;
    headerWriter.write(proxiedRequest, connections.upstream(), request);
    request.putHeader(HttpHeaders.CONNECTION, "Upgrade").putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    sentAtMillis = connections.timeoutWheel().nowMillis();
    connections.timeoutWheel().add(this);
    request
        .connect()
        .onComplete(answer -> onResponse(request, answer), cause -> fail(ForwardingFailure.BROKEN));
  }

  @Override
  public void checkTimeout(long now) {
    if (now - sentAtMillis >= connections.settings().upstreamTimeoutMillis()) {
      fail(ForwardingFailure.LATE);
    }
  }

  private void onResponse(HttpClientRequest request, HttpClientResponse answer) {
    if (finished) {
      return;
    }
    connections.timeoutWheel().remove(this);
    if (answer.statusCode() == SWITCHING_PROTOCOLS) {
      answer.exceptionHandler(cause -> fail(ForwardingFailure.BROKEN));
      boolean isAccepted = WEBSOCKET.equalsIgnoreCase(answer.getHeader(HttpHeaders.UPGRADE));
      if (isAccepted) {
        proxiedRequest.recordResponse();
        connections.metrics().countAnswered();
        openWebSocket(answer);
      } else {
        fail(ForwardingFailure.BROKEN);
      }
    } else {
      forwardDeclined(request, answer);
    }
  }

  /** Forwards the response of an upstream that declines, with the usual timeouts. */
  private void forwardDeclined(HttpClientRequest request, HttpClientResponse answer) {
    finished = true;
    proxiedRequest.onCallerClosed(declined::onCallerClosed);
    declined.forwardResponse(request, answer);
  }

  private void openWebSocket(HttpClientResponse answer) {
    finished = true;
    NetSocket up = answer.netSocket().pause();
    MultiMap out = proxiedRequest.http().response().headers();
    HeaderNames named = HopByHopHeaders.namedByConnection(answer.headers());
    answer
        .headers()
        .forEach(
            (name, value) -> {
              if (!HopByHopHeaders.STANDARD.contains(name) && !named.contains(name)) {
                out.add(name, value);
              }
            });
    RateLimitHeaders.write(decision, out::set);
    out.set(HttpHeaders.CONNECTION, "Upgrade").set(HttpHeaders.UPGRADE, WEBSOCKET);
    proxiedRequest.upgrade();
    proxiedRequest
        .http()
        .toNetSocket()
        .onComplete(
            caller -> webSocketBridge.join(proxiedRequest, caller, up),
            failed -> {
              up.close();
              proxiedRequest.end();
            });
  }

  /** Called when the caller has closed the connection. */
  void onCallerClosed() {
    if (!finished) {
      finished = true;
      connections.timeoutWheel().remove(this);
      reset();
    }
  }

  private void fail(ForwardingFailure failure) {
    if (!finished) {
      finished = true;
      connections.metrics().countFailed(failure);
      connections.timeoutWheel().remove(this);
      reset();
      GatewayResponses.fail(proxiedRequest, decision, failure);
    }
  }

  private void reset() {
    if (upstreamRequest != null) {
      var unused = upstreamRequest.reset();
    }
  }
}
