package io.weir.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.gateway.grpc.GrpcRequestHeaders;
import io.weir.gateway.grpc.GrpcStatusCode;
import io.weir.gateway.routing.LoadBalancer.Candidate;
import io.weir.http.IdentifiedRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forwards one admitted request to its upstream and the response back to the caller. Not
 * thread-safe: used on one event loop.
 *
 * <p>A request is sent once. It is sent again only without a body: once if its method is safe and
 * the upstream closed the kept-alive connection before anything was written, and as often as its
 * route says if its method is idempotent.
 */
final class UpstreamExchange implements TimeoutWheel.TimeoutTarget {
  private static final Set<HttpMethod> SAFE_METHODS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final int FIRST_FINAL_STATUS = 200;
  private static final long HTTP2_INTERNAL_ERROR = 2; // HTTP/2 error codes
  private static final long RETRY_DELAY_MILLIS = 50;
  private static final long HTTP2_CANCEL = 8;

  private final UpstreamHeaderWriter headerWriter;
  private final UpstreamRoute route;
  private Candidate<UpstreamConnections> upstream;
  private boolean isAcquired;
  private final ProxiedRequest proxiedRequest;
  private final HttpServerRequest http;
  private final IdentifiedRequest call;
  private final Decision decision;
  private final RequestBodyForwarder requestBody;
  private final long callTimeoutMillis;
  private final TransferProgress progress;
  private @Nullable HttpClientRequest upstreamRequest;
  private @Nullable ResponseForwarder responseForwarder;
  private boolean requestWritten;
  private int retries;
  private boolean finished;

  UpstreamExchange(
      UpstreamHeaderWriter headerWriter,
      UpstreamRoute route,
      ProxiedRequest proxied,
      Decision decision) {
    this.headerWriter = headerWriter;
    this.route = route;
    this.proxiedRequest = proxied;
    this.http = proxied.http();
    this.call = proxied.call();
    this.upstream = route.choose(call);
    this.requestBody = proxied.requestBody();
    this.decision = decision;
    callTimeoutMillis = requestBody.isGrpc() ? remainingMillis() : GrpcRequestHeaders.NO_TIMEOUT;
    progress =
        new TransferProgress(connections().settings(), requestBody.isGrpc(), callTimeoutMillis);
  }

  /** The timeout of a gRPC call, less the time that it was delayed. */
  private long remainingMillis() {
    return GrpcRequestHeaders.timeoutMillis(http.getHeader(GrpcRequestHeaders.TIMEOUT))
        - decision.delay().toMillis();
  }

  void start() {
    if (callTimeoutMillis <= 0) {
      fail(ForwardingFailure.LATE);
    } else {
      requestBody.admit(this::connect, () -> fail(ForwardingFailure.CUT));
    }
  }

  /** Forwards the response to a request that was sent already, with the same timeouts. */
  void forwardResponse(HttpClientRequest request, HttpClientResponse response) {
    upstreamRequest = request;
    requestWritten = true;
    startTimeouts();
    onResponse(response);
  }

  UpstreamConnections connections() {
    return upstream.connections();
  }

  private void connect() {
    if (!finished) {
      proxiedRequest.recordUpstream(connections().upstream());
      upstream.acquire();
      isAcquired = true;
      connections()
          .request(call.endpoint().method(), route.rewritten(call.endpoint().target()))
          .onComplete(this::send, this::onNotConnected);
    }
  }

  private void onNotConnected(Throwable cause) {
    proxiedRequest.recordCause(cause);
    onNotSent(ForwardingFailure.fromConnectFailure(cause));
  }

  private void send(HttpClientRequest request) {
    if (finished) {
      request.reset();
      return;
    }
    upstreamRequest = request;
    headerWriter.write(proxiedRequest, connections().upstream(), request);
    if (requestBody.isGrpc() && !decision.delay().isZero()) {
      request.putHeader(
          GrpcRequestHeaders.TIMEOUT, GrpcRequestHeaders.formatTimeout(callTimeoutMillis));
    }
    startTimeouts();
    request.response().onComplete(this::onResponse, this::onNoResponse);
    requestBody.sendTo(request).onSuccess(v -> requestWritten = true);
  }

  private void startTimeouts() {
    progress.start(connections().timeoutWheel().nowMillis());
    connections().timeoutWheel().add(this);
  }

  private void onNoResponse(Throwable cause) {
    proxiedRequest.recordCause(cause);
    onNotSent(ForwardingFailure.BROKEN);
  }

  /** Sends the request again if that is safe and allowed, else fails. */
  private void onNotSent(ForwardingFailure failure) {
    if (finished || !requestBody.isEmpty() || !(isStaleConnection(failure) || tryRetry(failure))) {
      fail(failure);
      return;
    }
    retries++;
    upstreamRequest = null;
    release(failure);
    Candidate<UpstreamConnections> failed = upstream;
    upstream = route.chooseOther(call, failed);
    if (upstream == failed && retries > 1) {
      long delayMillis = RETRY_DELAY_MILLIS << retries;
      Vertx.currentContext().owner().setTimer(delayMillis, t -> connect());
    } else {
      connect();
    }
  }

  /** Whether a kept-alive connection was closed before anything was written. */
  private boolean isStaleConnection(ForwardingFailure failure) {
    return retries == 0
        && !requestWritten
        && (failure == ForwardingFailure.BROKEN || failure == ForwardingFailure.UNREACHABLE)
        && SAFE_METHODS.contains(http.method());
  }

  private boolean tryRetry(ForwardingFailure failure) {
    return route.tryRetry(http.method(), retries, failure);
  }

  /** Gives the upstream back, with the failure of the request; null if it has answered. */
  private void release(@Nullable ForwardingFailure failure) {
    connections().timeoutWheel().remove(this);
    if (isAcquired) {
      isAcquired = false;
      upstream.release();
      boolean isCallersDeadline = callTimeoutMillis != GrpcRequestHeaders.NO_TIMEOUT;
      if (failure != null && failure.isOfUpstream() && !isCallersDeadline) {
        upstream.health().recordFailure();
      }
    }
  }

  private void onResponse(HttpClientResponse response) {
    if (finished) {
      return;
    }
    response.exceptionHandler(
        cause -> {
          proxiedRequest.recordCause(cause);
          fail(ForwardingFailure.BROKEN);
        });
    if (response.statusCode() < FIRST_FINAL_STATUS) {
      fail(ForwardingFailure.BROKEN);
      return;
    }
    progress.startResponse(connections().timeoutWheel().nowMillis());
    try {
      responseForwarder = new ResponseForwarder(http, response, decision, this::onForwarded);
      proxiedRequest.recordResponse();
      connections().metrics().countAnswered();
      upstream.health().recordSuccess();
    } catch (IllegalArgumentException e) { // an invalid header field
      fail(ForwardingFailure.BROKEN);
    }
  }

  private void onForwarded() {
    finished = true;
    release(null);
    if (!requestBody.isFinished()) {
      reset();
      requestBody.discard();
    }
  }

  /** Fails if the side that is waited for, upstream or caller, has made too little progress. */
  @Override
  public void checkTimeout(long now) {
    boolean isWaitingForCaller =
        responseForwarder == null
            ? requestBody.isWaitingForCaller()
            : responseForwarder.isWaitingForCaller();
    long received = responseForwarder == null ? -1 : responseForwarder.bytesReceived();
    ForwardingFailure failure =
        progress.check(now, requestBody.bytesReceived(), received, isWaitingForCaller);
    if (failure != null) {
      fail(failure);
    }
  }

  /** Called when the caller has closed the connection. */
  void onCallerClosed() {
    if (!finished) {
      finished = true;
      release(null);
      reset();
    }
  }

  private void fail(ForwardingFailure failure) {
    if (finished) {
      return;
    }
    finished = true;
    connections().metrics().countFailed(failure);
    release(failure);
    reset();
    HttpServerResponse response = http.response();
    if (!response.headWritten()) {
      response.headers().clear(); // of the upstream's response, if it has begun
      GatewayResponses.fail(proxiedRequest, decision, failure);
    } else if (requestBody.isGrpc() && GrpcResponses.canEndWithStatus(response)) {
      proxiedRequest.recordFailure(failure);
      GrpcResponses.endWithStatus(
          response, GrpcStatusCode.ofHttpStatus(failure.status), failure.message);
      requestBody.discard();
    } else {
      proxiedRequest.recordFailure(failure);
      var unused = response.reset(HTTP2_INTERNAL_ERROR);
    }
  }

  private void reset() {
    if (upstreamRequest != null) {
      var unused = upstreamRequest.reset(HTTP2_CANCEL);
    }
  }
}
