package io.weir.server.web;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Collects the body of a request, up to a bound. */
public final class Body {
  /** The longest body that is read. */
  public static final int MOST = 64 * 1024;

  private final HttpServerRequest request;
  private final Handler<Buffer> whole;
  private @Nullable Buffer parts;
  private boolean refused;

  private Body(HttpServerRequest request, Handler<Buffer> whole) {
    this.request = request;
    this.whole = whole;
  }

  /** Gives the body to the handler once it is there; one that is too long is refused here. */
  public static void read(HttpServerRequest request, Handler<Buffer> whole) {
    Body body = new Body(request, whole);
    request.handler(body::part).endHandler(v -> body.end());
  }

  private void part(Buffer part) {
    int length = part.length() + (parts == null ? 0 : parts.length());
    if (refused) {
      return;
    }
    if (length > MOST) {
      refused = true;
      parts = null;
      Reply.close(
          request, 400, "bad_request", "the body is longer than 64 KiB; send fewer checks at once");
    } else if (parts == null) {
      parts = part;
    } else {
      parts = (parts.length() < MOST / 2 ? parts.copy() : parts).appendBuffer(part);
    }
  }

  private void end() {
    if (!refused) {
      whole.handle(parts == null ? Buffer.buffer() : parts);
    }
  }
}
