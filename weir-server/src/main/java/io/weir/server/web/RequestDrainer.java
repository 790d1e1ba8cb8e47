package io.weir.server.web;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * What happens to the rest of a request that was answered before it had come whole.
 *
 * <p>It is dropped as it comes, up to a bound and not for long. Closing at once instead would make
 * the caller's system forget the answer, for bytes were sent that nobody read.
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

  /** Whether so much may be dropped for the sake of the connection. */
  public static boolean isDrainable(long bytes) {
    return bytes <= MAX_DRAINED_BYTES;
  }

  /** Drops the rest; the connection goes on if there is little of it. */
  public static void drain(HttpServerRequest request) {
    new RequestDrainer(request, false).start();
  }

  /** Drops the rest and closes the connection; of HTTP/2, ends the stream. */
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
      request.handler(part -> drain(part.length()));
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
