package io.weir.web;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Reads the whole body of a request into memory, limited in size and time. */
public final class BoundedBodyReader {
  /** The time in which a body that arrives in several chunks must be complete. */
  private static final long READ_TIMEOUT_MILLIS = 10_000;

  private final HttpServerRequest request;
  private final BodyLimit limit;
  private final Handler<Buffer> onBody;
  private @Nullable Buffer body;
  private boolean bodyIsCopy;
  private boolean rejected;
  private long timerId = -1;

  private BoundedBodyReader(HttpServerRequest request, BodyLimit limit, Handler<Buffer> onBody) {
    this.request = request;
    this.limit = limit;
    this.onBody = onBody;
  }

  /**
   * The maximum size of a body.
   *
   * @param maxKibibytes the maximum size in KiB
   * @param status the HTTP status of the response to a longer body
   * @param hint the end of the error message: what to send instead
   */
  public record BodyLimit(int maxKibibytes, int status, String hint) {
    /** The limit for requests to the decision API. */
    public static final BodyLimit DECISION_REQUESTS =
        new BodyLimit(64, 400, "send fewer checks at once");

    int maxBytes() {
      return maxKibibytes * 1024;
    }
  }

  /**
   * Same as {@link #read(HttpServerRequest, BodyLimit, Handler)}, limited to {@link
   * BodyLimit#DECISION_REQUESTS}.
   */
  public static void read(HttpServerRequest request, Handler<Buffer> onBody) {
    read(request, BodyLimit.DECISION_REQUESTS, onBody);
  }

  /**
   * Calls the handler when the body is complete. Answers a body that is too long or too slow with
   * an error, without calling the handler.
   */
  public static void read(HttpServerRequest request, BodyLimit limit, Handler<Buffer> onBody) {
    BoundedBodyReader reader = new BoundedBodyReader(request, limit, onBody);
    request.handler(reader::onChunk).endHandler(v -> reader.onEnd());
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      request.response().writeContinue();
    }
  }

  private void onChunk(Buffer chunk) {
    int length = chunk.length() + (body == null ? 0 : body.length());
    if (rejected) {
      return;
    }
    if (length > limit.maxBytes()) {
      reject(
          limit.status(),
          limit.status() == 413 ? "too_long" : "bad_request",
          "the body is longer than " + limit.maxKibibytes() + " KiB; " + limit.hint());
    } else if (body == null) {
      body = chunk;
      if (chunk.length() != declaredLength()) {
        timerId = Vertx.currentContext().owner().setTimer(READ_TIMEOUT_MILLIS, t -> onTimeout());
      }
    } else {
      body = (bodyIsCopy ? body : body.copy()).appendBuffer(chunk);
      bodyIsCopy = true;
    }
  }

  private int declaredLength() {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return length == null ? -1 : Integer.parseInt(length);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private void onTimeout() {
    if (!rejected && !request.isEnded()) {
      reject(408, "too_slow", "the body did not arrive in time; send it faster");
    }
  }

  private void reject(int status, String error, String message) {
    rejected = true;
    body = null;
    ResponseWriter.writeErrorAndClose(request, status, error, message);
  }

  private void onEnd() {
    if (timerId >= 0) {
      Vertx.currentContext().owner().cancelTimer(timerId);
    }
    if (!rejected) {
      onBody.handle(body == null ? Buffer.buffer() : body);
    }
  }
}
