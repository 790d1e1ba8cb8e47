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
public final class Linger {
  private static final long MOST_BYTES = 256 * 1024;
  private static final long MOST_MILLIS = 2_000;

  private final HttpServerRequest request;
  private final boolean close;
  private long dropped;

  private Linger(HttpServerRequest request, boolean close) {
    this.request = request;
    this.close = close;
  }

  /** Whether so much may be dropped for the sake of the connection. */
  public static boolean fits(long bytes) {
    return bytes <= MOST_BYTES;
  }

  /** Drops the rest; the connection goes on if there is little of it. */
  public static void drop(HttpServerRequest request) {
    new Linger(request, false).begin();
  }

  /** Drops the rest and closes the connection; of HTTP/2, ends the stream. */
  public static void close(HttpServerRequest request) {
    new Linger(request, true).begin();
  }

  private void begin() {
    if (request.version() == HttpVersion.HTTP_2) {
      if (!request.isEnded()) {
        var unused = request.response().reset(0);
      }
    } else if (!request.isEnded()) {
      Vertx vertx = Vertx.currentContext().owner();
      long timer = vertx.setTimer(MOST_MILLIS, t -> request.connection().close());
      request.handler(part -> drop(part.length()));
      request.endHandler(
          v -> {
            vertx.cancelTimer(timer);
            end();
          });
      request.resume();
    } else {
      end();
    }
  }

  private void drop(int bytes) {
    dropped += bytes;
    if (!fits(dropped)) {
      request.connection().close();
    }
  }

  private void end() {
    if (close) {
      request.connection().close();
    }
  }
}
