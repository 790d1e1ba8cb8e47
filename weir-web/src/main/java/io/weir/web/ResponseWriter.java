package io.weir.web;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.internal.JsonText;

/** Writes HTTP responses; does nothing if the caller has closed the connection. */
public final class ResponseWriter {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  private ResponseWriter() {}

  /** Ends a response with a JSON body. */
  public static void writeJson(HttpServerResponse response, int status, String body) {
    writeText(response, status, JSON, body);
  }

  /** Ends a response with a body of the given media type. */
  public static void writeText(
      HttpServerResponse response, int status, CharSequence type, String body) {
    if (!response.ended() && !response.closed()) {
      response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(body);
    }
  }

  /** Ends a response with an error; the message states the problem and its fix. */
  public static void writeError(
      HttpServerRequest request, int status, String error, String message) {
    writeJson(request.response(), status, JsonText.error(error, message));
  }

  /** Same as {@link #writeError}, and closes the connection without processing further requests. */
  public static void writeErrorAndClose(
      HttpServerRequest request, int status, String error, String message) {
    if (request.version() != HttpVersion.HTTP_2) { // HTTP/2 has no Connection field
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    writeError(request, status, error, message);
    RequestDrainer.drainAndClose(request);
  }
}
