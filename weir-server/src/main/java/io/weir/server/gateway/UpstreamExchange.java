package io.weir.server.gateway;

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
 * One admitted request on its way to its upstream, and the answer on its way back. Lives on one
 * event loop.
 *
 * <p>It is sent once. Only where the method is safe and the connection, a kept one that the
 * upstream gave up, died before a byte was written, it is sent once more.
 */
final class UpstreamExchange implements TimeoutWheel.TimeoutTarget {
  private static final Set<HttpMethod> SAFE_METHODS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final int FIRST_FINAL_STATUS = 200;
  private static final long HTTP2_INTERNAL_ERROR = 2; // of HTTP/2

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
      UpstreamHeaderWriter head,
      UpstreamConnections connections,
      ProxiedRequest visit,
      Decision decision) {
    this.headerWriter = head;
    this.connections = connections;
    this.proxiedRequest = visit;
    this.http = visit.http();
    this.call = visit.call();
    this.requestBody = visit.requestBody();
    this.decision = decision;
  }

  void start() {
    requestBody.admit(this::connect, () -> fail(ForwardingFailure.CUT));
  }

  /** Takes over the answer to a request that was sent already, with the same time-outs. */
  void forwardResponse(HttpClientRequest request, HttpClientResponse answer) {
    upstreamRequest = request;
    requestWritten = true;
    silenceCheckMillis = connections.timeoutWheel().nowMillis();
    connections.timeoutWheel().add(this);
    onResponse(answer);
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
    boolean stale = failure == ForwardingFailure.BROKEN || failure == ForwardingFailure.UNREACHABLE;
    if (stale
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

  private void onResponse(HttpClientResponse answer) {
    if (finished) {
      return;
    }
    answer.exceptionHandler(cause -> fail(ForwardingFailure.BROKEN));
    if (answer.statusCode() < FIRST_FINAL_STATUS) {
      fail(ForwardingFailure.BROKEN);
      return;
    }
    bytesAtPaceCheck = 0;
    paceCheckMillis = connections.timeoutWheel().nowMillis();
    try {
      responseForwarder = new ResponseForwarder(http, answer, decision, this::onForwarded);
      connections.metrics().countAnswered();
    } catch (IllegalArgumentException e) { // a field that cannot be passed on
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

  /** Fails if the one who is waited for, upstream or caller, has moved too little for too long. */
  @Override
  public void checkTimeout(long now) {
    UpstreamSettings limits = connections.settings();
    boolean caller =
        responseForwarder == null
            ? requestBody.isWaitingForCaller()
            : responseForwarder.isWaitingForCaller();
    long up = requestBody.bytesReceived();
    long down = responseForwarder == null ? 0 : responseForwarder.bytesReceived();
    if (now - silenceCheckMillis >= limits.upstreamTimeoutMillis()) {
      if (up + down == bytesAtSilenceCheck && !caller) {
        fail(ForwardingFailure.LATE);
      }
      bytesAtSilenceCheck = up + down;
      silenceCheckMillis = now;
    }
    if (now - paceCheckMillis >= limits.callerTimeoutMillis()) {
      long sum = responseForwarder == null ? up : down;
      if (sum - bytesAtPaceCheck < limits.minBytesPerTimeout() && caller) {
        fail(ForwardingFailure.SLOW);
      }
      bytesAtPaceCheck = sum;
      paceCheckMillis = now;
    }
  }

  /** The caller went away. */
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
