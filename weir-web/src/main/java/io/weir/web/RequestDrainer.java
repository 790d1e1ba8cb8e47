package io.weir.web;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * Reads and discards the rest of a request that was answered before it had arrived completely
 * (lingering close).
 *
 * <p>The amount and the time are limited. Closing the connection at once instead would reset it
 * because of the unread bytes, and the caller's TCP stack would discard the response.
 */
public final class RequestDrainer {
  private static final long MAX_DRAINED_BYTES = 256 * 1024;
  private static final long MAX_DRAIN_MILLIS = 2_000;

  private final HttpServerRequest request;
  private final boolean closeAfterwards;
  private long drainedBytes;

  private RequestDrainer(HttpServerRequest request, boolean close) {
    this.request = request;
    this.closeAfterwards = close;
  }

  /** Whether so many bytes may be read and discarded in order to keep the connection. */
  public static boolean isDrainable(long bytes) {
    return bytes <= MAX_DRAINED_BYTES;
  }

  /** Discards the rest of a request; keeps the connection open if the rest is short. */
  public static void drain(HttpServerRequest request) {
    new RequestDrainer(request, false).start();
  }

  /** Discards the rest of a request and closes the connection; resets the stream of HTTP/2. */
  public static void drainAndClose(HttpServerRequest request) {
    new RequestDrainer(request, true).start();
  }

  private void start() {
    if (request.version() == HttpVersion.HTTP_2) {
      if (!request.isEnded()) {
        var unused = request.response().reset(0);
      }
    } else if (!request.isEnded()) {
      Vertx vertx = Vertx.currentContext().owner();
      long timer = vertx.setTimer(MAX_DRAIN_MILLIS, t -> request.connection().close());
      request.handler(chunk -> drain(chunk.length()));
      request.endHandler(
          v -> {
            vertx.cancelTimer(timer);
            finish();
          });
      request.resume();
    } else {
      finish();
    }
  }

  private void drain(int bytes) {
    drainedBytes += bytes;
    if (!isDrainable(drainedBytes)) {
      request.connection().close();
    }
  }

  private void finish() {
    if (closeAfterwards) {
      request.connection().close();
    }
  }
}
