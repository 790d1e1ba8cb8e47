package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.gateway.grpc.GrpcErrorDetails;
import io.weir.gateway.grpc.GrpcRequestHeaders;
import io.weir.gateway.grpc.GrpcStatusCode;
import java.time.Duration;

/**
 * Writes the gateway's own responses to gRPC requests: HTTP status 200 with a gRPC status, in a
 * response without a body ("Trailers-Only").
 */
final class GrpcResponses {
  private static final String STATUS = "grpc-status";
  private static final String MESSAGE = "grpc-message";
  private static final String DETAILS = "grpc-status-details-bin";

  /** The time after which a client with a retry policy tries again; negative means never. */
  private static final String RETRY_PUSHBACK = "grpc-retry-pushback-ms";

  private static final String NEVER = "-1";
  private static final int OK = 200;

  private GrpcResponses() {}

  /** Answers a refused request; {@code status} is the one that an HTTP request would get. */
  static void refuse(HttpServerResponse response, Decision decision, int status) {
    GrpcStatusCode code = GrpcStatusCode.ofHttpStatus(status);
    String rule = decision.rule().orElse("");
    if (code != GrpcStatusCode.RESOURCE_EXHAUSTED) {
      end(response, code, "refused by " + rule);
      return;
    }
    if (decision.costExceedsLimit()) {
      response.putHeader(RETRY_PUSHBACK, NEVER);
      end(response, code, "the cost exceeds the capacity of " + rule);
      return;
    }
    Duration delay = decision.retryAfter();
    String message = "rate limited by " + rule;
    response
        .putHeader(RETRY_PUSHBACK, Long.toString(DelayedRequests.toTimerMillis(delay)))
        .putHeader(DETAILS, GrpcErrorDetails.retryInfo(code, message, delay));
    end(response, code, message);
  }

  /** Ends a response of which nothing has been written. */
  static void end(HttpServerResponse response, GrpcStatusCode code, String message) {
    if (!response.ended() && !response.closed()) {
      var unused =
          response
              .setStatusCode(OK)
              .putHeader(HttpHeaders.CONTENT_TYPE, GrpcRequestHeaders.MEDIA_TYPE)
              .putHeader(STATUS, Integer.toString(code.code()))
              .putHeader(MESSAGE, GrpcErrorDetails.encodeMessage(message))
              .end();
    }
  }

  /** Whether the response has begun as one of gRPC, so that it can end with a status. */
  static boolean canEndWithStatus(HttpServerResponse response) {
    return GrpcRequestHeaders.isGrpc(response.headers().get(HttpHeaders.CONTENT_TYPE));
  }

  /** Ends a response that has begun. */
  static void endWithStatus(HttpServerResponse response, GrpcStatusCode code, String message) {
    response.putTrailer(STATUS, Integer.toString(code.code()));
    response.putTrailer(MESSAGE, GrpcErrorDetails.encodeMessage(message));
    var unused = response.end();
  }

  /** Whether the head of an upstream's response is its end too, with the status. */
  static boolean isTrailersOnly(MultiMap head) {
    return head.contains(STATUS);
  }
}
