package io.weir.server.web;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.http.JsonText;

/** Writes answers; to a caller who has gone away it writes nothing. */
public final class ResponseWriter {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  private ResponseWriter() {}

  /** Ends a response with a body of JSON. */
  public static void writeJson(HttpServerResponse response, int status, String body) {
    writeText(response, status, JSON, body);
  }

  /** Ends a response with a body of some type. */
  public static void writeText(
      HttpServerResponse response, int status, CharSequence type, String body) {
    if (!response.ended() && !response.closed()) {
      response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(body);
    }
  }

  /** Answers that something was wrong: what, and what to do instead. */
  public static void writeError(
      HttpServerRequest request, int status, String error, String message) {
    writeJson(request.response(), status, JsonText.error(error, message));
  }

  /**
   * As {@link #writeError}, and ends the connection: what else comes on it is not worth reading.
   */
  public static void writeErrorAndClose(
      HttpServerRequest request, int status, String error, String message) {
    if (request.version() != HttpVersion.HTTP_2) { // which knows no such field
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    writeError(request, status, error, message);
    RequestDrainer.drainAndClose(request);
  }
}
