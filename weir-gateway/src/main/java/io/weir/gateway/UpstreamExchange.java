package io.weir.gateway;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.http.IdentifiedRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forwards one admitted request to its upstream and the response back to the caller. Not
 * thread-safe: used on one event loop.
 *
 * <p>A request is sent once. It is retried once only if its method is safe, it has no body, and the
 * upstream closed the kept-alive connection before anything was written.
 */
final class UpstreamExchange implements TimeoutWheel.TimeoutTarget {
  private static final Set<HttpMethod> SAFE_METHODS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final int FIRST_FINAL_STATUS = 200;
  private static final long HTTP2_INTERNAL_ERROR = 2; // HTTP/2 error code

  private final UpstreamHeaderWriter headerWriter;
  private final UpstreamConnections connections;
  private final ProxiedRequest proxiedRequest;
  private final HttpServerRequest http;
  private final IdentifiedRequest call;
  private final Decision decision;
  private final RequestBodyForwarder requestBody;
  private @Nullable HttpClientRequest upstreamRequest;
  private @Nullable ResponseForwarder responseForwarder;
  private long bytesAtSilenceCheck;
  private long silenceCheckMillis;
  private long bytesAtPaceCheck;
  private long paceCheckMillis;
  private boolean requestWritten;
  private boolean retried;
  private boolean finished;

  UpstreamExchange(
      UpstreamHeaderWriter headerWriter,
      UpstreamConnections connections,
      ProxiedRequest proxied,
      Decision decision) {
    this.headerWriter = headerWriter;
    this.connections = connections;
    this.proxiedRequest = proxied;
    this.http = proxied.http();
    this.call = proxied.call();
    this.requestBody = proxied.requestBody();
    this.decision = decision;
  }

  void start() {
    requestBody.admit(this::connect, () -> fail(ForwardingFailure.CUT));
  }

  /** Forwards the response to a request that was sent already, with the same timeouts. */
  void forwardResponse(HttpClientRequest request, HttpClientResponse response) {
    upstreamRequest = request;
    requestWritten = true;
    silenceCheckMillis = connections.timeoutWheel().nowMillis();
    connections.timeoutWheel().add(this);
    onResponse(response);
  }

  private void connect() {
    if (!finished) {
      connections
          .request(call.endpoint().method(), call.endpoint().target())
          .onComplete(this::send, cause -> onNotSent(ForwardingFailure.fromConnectFailure(cause)));
    }
  }

  private void send(HttpClientRequest request) {
    if (finished) {
      request.reset();
      return;
    }
    upstreamRequest = request;
    headerWriter.write(http, call, connections.upstream(), request.headers());
    silenceCheckMillis = connections.timeoutWheel().nowMillis();
    paceCheckMillis = silenceCheckMillis;
    connections.timeoutWheel().add(this);
    request.response().onComplete(this::onResponse, cause -> onNoResponse());
    requestBody.sendTo(request).onSuccess(v -> requestWritten = true);
  }

  private void onNoResponse() {
    if (requestWritten) {
      fail(ForwardingFailure.BROKEN);
    } else {
      onNotSent(ForwardingFailure.BROKEN);
    }
  }

  private void onNotSent(ForwardingFailure failure) {
    boolean isStaleConnection =
        failure == ForwardingFailure.BROKEN || failure == ForwardingFailure.UNREACHABLE;
    if (isStaleConnection
        && !retried
        && !finished
        && requestBody.isEmpty()
        && SAFE_METHODS.contains(http.method())) {
      retried = true;
      upstreamRequest = null;
      connections.timeoutWheel().remove(this);
      connect();
    } else {
      fail(failure);
    }
  }

  private void onResponse(HttpClientResponse response) {
    if (finished) {
      return;
    }
    response.exceptionHandler(cause -> fail(ForwardingFailure.BROKEN));
    if (response.statusCode() < FIRST_FINAL_STATUS) {
      fail(ForwardingFailure.BROKEN);
      return;
    }
    bytesAtPaceCheck = 0;
    paceCheckMillis = connections.timeoutWheel().nowMillis();
    try {
      responseForwarder = new ResponseForwarder(http, response, decision, this::onForwarded);
      connections.metrics().countAnswered();
    } catch (IllegalArgumentException e) { // an invalid header field
      fail(ForwardingFailure.BROKEN);
    }
  }

  private void onForwarded() {
    finished = true;
    connections.timeoutWheel().remove(this);
    if (!requestBody.isFinished()) {
      reset();
      requestBody.discard();
    }
  }

  /** Fails if the side that is waited for, upstream or caller, has made too little progress. */
  @Override
  public void checkTimeout(long now) {
    UpstreamSettings settings = connections.settings();
    boolean isWaitingForCaller =
        responseForwarder == null
            ? requestBody.isWaitingForCaller()
            : responseForwarder.isWaitingForCaller();
    long sent = requestBody.bytesReceived();
    long received = responseForwarder == null ? 0 : responseForwarder.bytesReceived();
    if (now - silenceCheckMillis >= settings.upstreamTimeoutMillis()) {
      if (sent + received == bytesAtSilenceCheck && !isWaitingForCaller) {
        fail(ForwardingFailure.LATE);
      }
      bytesAtSilenceCheck = sent + received;
      silenceCheckMillis = now;
    }
    if (now - paceCheckMillis >= settings.callerTimeoutMillis()) {
      long progress = responseForwarder == null ? sent : received;
      if (progress - bytesAtPaceCheck < settings.minBytesPerTimeout() && isWaitingForCaller) {
        fail(ForwardingFailure.SLOW);
      }
      bytesAtPaceCheck = progress;
      paceCheckMillis = now;
    }
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
    if (finished) {
      return;
    }
    finished = true;
    connections.metrics().countFailed(failure);
    connections.timeoutWheel().remove(this);
    reset();
    HttpServerResponse response = http.response();
    if (response.headWritten()) {
      proxiedRequest.recordFailure(failure);
      var unused = response.reset(HTTP2_INTERNAL_ERROR);
    } else {
      GatewayResponses.fail(proxiedRequest, decision, failure);
    }
  }

  private void reset() {
    if (upstreamRequest != null) {
      var unused = upstreamRequest.reset();
    }
  }
}
