package io.weir.server.web;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.http.Json;

/** Writes answers; to a caller who has gone away it writes nothing. */
public final class Reply {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  private Reply() {}

  /** Ends a response with a body of JSON. */
  public static void json(HttpServerResponse response, int status, String body) {
    text(response, status, JSON, body);
  }

  /** Ends a response with a body of some type. */
  public static void text(HttpServerResponse response, int status, CharSequence type, String body) {
    if (!response.ended() && !response.closed()) {
      response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(body);
    }
  }

  /** Answers that something was wrong: what, and what to do instead. */
  public static void error(HttpServerRequest request, int status, String error, String message) {
    json(request.response(), status, Json.error(error, message));
  }

  /** As {@link #error}, and ends the connection: what else comes on it is not worth reading. */
  public static void close(HttpServerRequest request, int status, String error, String message) {
    if (request.version() != HttpVersion.HTTP_2) { // which knows no such field
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    error(request, status, error, message);
    Linger.close(request);
  }
}
