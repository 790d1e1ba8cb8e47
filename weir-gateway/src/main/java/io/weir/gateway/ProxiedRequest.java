package io.weir.gateway;

import static java.util.Objects.requireNonNull;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.gateway.routing.Upstream;
import io.weir.http.IdentifiedRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way through the gateway, from its arrival to its end. Used on the event loop of
 * its connection.
 *
 * <p>{@link #end} is the only place where a request ends, whether it was answered, cut off, left by
 * its caller or upgraded and closed; whatever depends on the end is a {@link RequestEndListener}.
 */
final class ProxiedRequest {
  private static final int CALLER_LEFT = 499;

  private final HttpServerRequest http;
  private final RequestLifecycle lifecycle;
  private final String id;
  private final long startedMicros;
  private @Nullable IdentifiedRequest call;
  private @Nullable RequestBodyForwarder requestBody;
  private @Nullable Decision decision;
  private Limiter.@Nullable Permit permit;
  private @Nullable ForwardingFailure failure;
  private @Nullable String failureDetail;
  private @Nullable String upstream;
  private long upstreamMicros = -1;
  private @Nullable Runnable onCallerClosed;
  private boolean refunded;
  private boolean upgraded;
  private boolean ended;

  ProxiedRequest(HttpServerRequest http, RequestLifecycle lifecycle) {
    this.http = http;
    this.lifecycle = lifecycle;
    startedMicros = lifecycle.clock().micros();
    id = RequestId.of(http.getHeader(RequestId.HEADER));
    http.response().endHandler(v -> onResponseEnd()).closeHandler(v -> onConnectionClosed());
  }

  /** Sets the caller and the target of the request, and starts to receive its body. */
  void identify(IdentifiedRequest identified) {
    call = identified;
    requestBody = new RequestBodyForwarder(http);
  }

  void decide(Decision made) {
    decision = made;
  }

  /** Holds the slots of the request until it has ended, which may be the case already. */
  void hold(Limiter.Permit acquired) {
    permit = acquired;
    if (ended) {
      acquired.close();
    }
  }

  /** Records where the request is forwarded. */
  void recordUpstream(Upstream target) {
    upstream = target.authority();
  }

  /** Records that the upstream's response begins. */
  void recordResponse() {
    upstreamMicros = lifecycle.clock().micros() - startedMicros;
  }

  /** Records why the request has no complete response from its upstream. */
  void recordFailure(ForwardingFailure reason) {
    failure = reason;
    if (lifecycle.reasonHeader() && !http.response().headWritten()) {
      http.response().putHeader(RequestLifecycle.REASON_HEADER, reason.label());
    }
  }

  /** Records the cause of a failure, for the log. */
  void recordCause(@Nullable Throwable cause) {
    failureDetail = cause == null ? null : cause.getMessage();
  }

  /** The caller's {@code X-Request-ID}, or a new one; the upstream gets it too. */
  String id() {
    return id;
  }

  long startedMicros() {
    return startedMicros;
  }

  /** The time until the head of the upstream's response; negative if there is none. */
  long upstreamMicros() {
    return upstreamMicros;
  }

  /** The authority of the upstream; null if the request was not forwarded. */
  @Nullable String upstream() {
    return upstream;
  }

  @Nullable String failureDetail() {
    return failureDetail;
  }

  /** Whether the caller and the target are known; not if the request was malformed. */
  boolean isIdentified() {
    return call != null;
  }

  boolean isUpgraded() {
    return upgraded;
  }

  HttpServerRequest http() {
    return http;
  }

  IdentifiedRequest call() {
    return requireNonNull(call);
  }

  RequestBodyForwarder requestBody() {
    return requireNonNull(requestBody);
  }

  Decision decision() {
    return requireNonNull(decision);
  }

  /** Whether there is a decision; not if the request was malformed, or its caller left before. */
  boolean isDecided() {
    return decision != null;
  }

  /** Why there is no complete response of an upstream; null if there is one or none was asked. */
  @Nullable ForwardingFailure failure() {
    return failure;
  }

  /** Whether the response was sent completely; false if the connection was closed before. */
  boolean isAnswered() {
    return http.response().ended();
  }

  /** Called when the decision was refunded as a whole, since the request is not forwarded. */
  void recordRefund() {
    refunded = true;
  }

  /**
   * Returns the status by which rules count the response: 499 if the caller left before the
   * response began, as in access logs of other proxies, and none if the request was refunded.
   */
  int responseStatus() {
    if (refunded) {
      return Limiter.NO_RESPONSE;
    }
    return http.response().headWritten() ? http.response().getStatusCode() : CALLER_LEFT;
  }

  /** Sets the action for the case that the caller leaves before its response is complete. */
  void onCallerClosed(Runnable action) {
    onCallerClosed = action;
  }

  /** Called when the request has become a WebSocket: it ends when that is closed. */
  void upgrade() {
    upgraded = true;
  }

  private void onResponseEnd() {
    if (!upgraded) {
      end();
    }
  }

  private void onConnectionClosed() {
    if (onCallerClosed != null) {
      onCallerClosed.run();
    }
    end();
  }

  /** Ends the request; later calls have no effect. */
  void end() {
    if (!ended) {
      ended = true;
      if (permit != null) {
        permit.close();
      }
      lifecycle.endListeners().forEach(listener -> listener.onRequestEnd(this));
    }
  }
}
