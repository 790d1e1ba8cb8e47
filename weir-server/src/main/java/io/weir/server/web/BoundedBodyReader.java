package io.weir.server.web;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Collects the body of a request, up to a bound, and not for ever. */
public final class BoundedBodyReader {
  /** In which a body that comes in parts must have come whole. */
  private static final long READ_TIMEOUT_MILLIS = 10_000;

  private final HttpServerRequest request;
  private final BodyLimit limit;
  private final Handler<Buffer> onBody;
  private @Nullable Buffer body;
  private boolean bodyIsCopy;
  private boolean rejected;
  private long timerId = -1;

  private BoundedBodyReader(HttpServerRequest request, BodyLimit bound, Handler<Buffer> whole) {
    this.request = request;
    this.limit = bound;
    this.onBody = whole;
  }

  /**
   * How long a body may be.
   *
   * @param maxKibibytes the longest
   * @param status what is answered to a longer one
   * @param hint what to send instead
   */
  public record BodyLimit(int maxKibibytes, int status, String hint) {
    /** Of checks. */
    public static final BodyLimit DECISION_REQUESTS =
        new BodyLimit(64, 400, "send fewer checks at once");

    int maxBytes() {
      return maxKibibytes * 1024;
    }
  }

  /** As {@link #read(HttpServerRequest, BodyLimit, Handler)}, of checks. */
  public static void read(HttpServerRequest request, Handler<Buffer> whole) {
    read(request, BodyLimit.DECISION_REQUESTS, whole);
  }

  /** Gives the body to the handler once it is there; one that is too long is refused here. */
  public static void read(HttpServerRequest request, BodyLimit bound, Handler<Buffer> whole) {
    BoundedBodyReader body = new BoundedBodyReader(request, bound, whole);
    request.handler(body::onChunk).endHandler(v -> body.onEnd());
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      request.response().writeContinue();
    }
  }

  private void onChunk(Buffer part) {
    int length = part.length() + (body == null ? 0 : body.length());
    if (rejected) {
      return;
    }
    if (length > limit.maxBytes()) {
      reject(
          limit.status(),
          limit.status() == 413 ? "too_long" : "bad_request",
          "the body is longer than " + limit.maxKibibytes() + " KiB; " + limit.hint());
    } else if (body == null) {
      body = part;
      if (part.length() != declaredLength()) {
        timerId = Vertx.currentContext().owner().setTimer(READ_TIMEOUT_MILLIS, t -> onTimeout());
      }
    } else {
      body = (bodyIsCopy ? body : body.copy()).appendBuffer(part);
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
      reject(408, "too_slow", "the body has not come whole; send it faster");
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
