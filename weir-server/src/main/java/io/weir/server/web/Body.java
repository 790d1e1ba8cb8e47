package io.weir.server.web;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Collects the body of a request, up to a bound, and not for ever. */
public final class Body {
  /** In which a body that comes in parts must have come whole. */
  private static final long LONGEST_MILLIS = 10_000;

  private final HttpServerRequest request;
  private final Bound bound;
  private final Handler<Buffer> whole;
  private @Nullable Buffer parts;
  private boolean mine;
  private boolean refused;
  private long timer = -1;

  private Body(HttpServerRequest request, Bound bound, Handler<Buffer> whole) {
    this.request = request;
    this.bound = bound;
    this.whole = whole;
  }

  /**
   * How long a body may be.
   *
   * @param kibibytes the longest
   * @param status what is answered to a longer one
   * @param advice what to send instead
   */
  public record Bound(int kibibytes, int status, String advice) {
    /** Of checks. */
    public static final Bound CHECKS = new Bound(64, 400, "send fewer checks at once");

    int bytes() {
      return kibibytes * 1024;
    }
  }

  /** As {@link #read(HttpServerRequest, Bound, Handler)}, of checks. */
  public static void read(HttpServerRequest request, Handler<Buffer> whole) {
    read(request, Bound.CHECKS, whole);
  }

  /** Gives the body to the handler once it is there; one that is too long is refused here. */
  public static void read(HttpServerRequest request, Bound bound, Handler<Buffer> whole) {
    Body body = new Body(request, bound, whole);
    request.handler(body::part).endHandler(v -> body.end());
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      request.response().writeContinue();
    }
  }

  private void part(Buffer part) {
    int length = part.length() + (parts == null ? 0 : parts.length());
    if (refused) {
      return;
    }
    if (length > bound.bytes()) {
      refuse(
          bound.status(),
          bound.status() == 413 ? "too_long" : "bad_request",
          "the body is longer than " + bound.kibibytes() + " KiB; " + bound.advice());
    } else if (parts == null) {
      parts = part;
      if (part.length() != announced()) {
        timer = Vertx.currentContext().owner().setTimer(LONGEST_MILLIS, t -> late());
      }
    } else {
      parts = (mine ? parts : parts.copy()).appendBuffer(part);
      mine = true;
    }
  }

  private int announced() {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return length == null ? -1 : Integer.parseInt(length);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private void late() {
    if (!refused && !request.isEnded()) {
      refuse(408, "too_slow", "the body has not come whole; send it faster");
    }
  }

  private void refuse(int status, String error, String message) {
    refused = true;
    parts = null;
    Reply.close(request, status, error, message);
  }

  private void end() {
    if (timer >= 0) {
      Vertx.currentContext().owner().cancelTimer(timer);
    }
    if (!refused) {
      whole.handle(parts == null ? Buffer.buffer() : parts);
    }
  }
}
