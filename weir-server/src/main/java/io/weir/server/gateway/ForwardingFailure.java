package io.weir.server.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import java.util.concurrent.TimeoutException;

/** Why a request that was admitted has no answer of its upstream. */
enum ForwardingFailure {
  UNREACHABLE(502, "bad_gateway", "the upstream cannot be reached"),
  BROKEN(502, "bad_gateway", "the upstream ended the connection or answered what cannot be read"),
  LATE(504, "gateway_timeout", "the upstream did not answer in time"),
  BUSY(503, "overloaded", "too many requests wait already; retry later"),
  SLOW(408, "request_timeout", "the request came too slowly; send it faster"),
  CUT(400, "bad_request", "the body is not as long as was said"),
  LOOP(508, "loop", "the request came back to where it was; let no upstream lead here");

  final int status;
  final String error;
  final String message;

  ForwardingFailure(int status, String error, String message) {
    this.status = status;
    this.error = error;
    this.message = message;
  }

  /** Why there is no connection. */
  static ForwardingFailure fromConnectFailure(Throwable cause) {
    if (cause instanceof ConnectionPoolTooBusyException) {
      return BUSY;
    }
    return cause instanceof TimeoutException || cause instanceof ConnectTimeoutException
        ? LATE
        : UNREACHABLE;
  }
}
