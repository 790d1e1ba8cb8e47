package io.weir.gateway;

import static java.util.Objects.requireNonNull;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.http.IdentifiedRequest;
import java.util.List;
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
  private final List<RequestEndListener> endListeners;
  private @Nullable IdentifiedRequest call;
  private @Nullable RequestBodyForwarder requestBody;
  private @Nullable Decision decision;
  private @Nullable ForwardingFailure failure;
  private @Nullable Runnable onCallerClosed;
  private boolean refunded;
  private boolean upgraded;
  private boolean ended;

  ProxiedRequest(HttpServerRequest http, List<RequestEndListener> endListeners) {
    this.http = http;
    this.endListeners = endListeners;
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

  /** Records why the request has no complete response from its upstream. */
  void recordFailure(ForwardingFailure reason) {
    failure = reason;
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
      endListeners.forEach(listener -> listener.onRequestEnd(this));
    }
  }
}
