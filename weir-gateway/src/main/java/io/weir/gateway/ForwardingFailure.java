package io.weir.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;

/** Why an admitted request has no response from its upstream; the names are metric labels. */
enum ForwardingFailure {
  UNREACHABLE(502, "bad_gateway", "the upstream cannot be reached"),
  BROKEN(502, "bad_gateway", "the upstream closed the connection or sent an invalid response"),
  LATE(504, "gateway_timeout", "the upstream did not answer in time"),
  BUSY(503, "overloaded", "too many requests are waiting; retry later"),
  SLOW(408, "request_timeout", "the request was sent too slowly; send it faster"),
  CUT(400, "bad_request", "the length of the body differs from Content-Length"),
  LOOP(508, "loop", "request loop: an upstream forwards to this gateway");

  final int status;
  final String error;
  final String message;

  ForwardingFailure(int status, String error, String message) {
    this.status = status;
    this.error = error;
    this.message = message;
  }

  /** Whether the upstream is the cause; not the caller or the load. */
  boolean isOfUpstream() {
    return this == UNREACHABLE || this == BROKEN || this == LATE;
  }

  /** The name in metrics, logs and headers. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Maps the cause of a failed connection attempt. */
  static ForwardingFailure fromConnectFailure(Throwable cause) {
    if (cause instanceof ConnectionPoolTooBusyException) {
      return BUSY;
    }
    return cause instanceof TimeoutException || cause instanceof ConnectTimeoutException
        ? LATE
        : UNREACHABLE;
  }
}
