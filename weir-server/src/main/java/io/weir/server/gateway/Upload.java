package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.web.Linger;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request on its way upstream.
 *
 * <p>Until the request is forwarded, and whenever the upstream does not take more, nothing is read:
 * what waits is one chunk here, and what the socket holds.
 */
final class Upload {
  private static final long UNKNOWN = -1;
  private static final Set<HttpMethod> WITH_BODY =
      Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

  private final HttpServerRequest http;
  private final boolean two;
  private final boolean expects;
  private final long length;
  private boolean ended;
  private long passed;
  private @Nullable Buffer first;
  private @Nullable HttpClientRequest to;
  private Runnable ready = () -> {};
  private Runnable cut = () -> {};

  /** Begins to take the body of a request that has just come. */
  Upload(HttpServerRequest http) {
    this.http = http;
    two = http.version() == HttpVersion.HTTP_2;
    String said = http.headers().get(HttpHeaders.CONTENT_LENGTH);
    boolean chunked = http.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    length = said != null ? Long.parseLong(said) : chunked || two ? UNKNOWN : 0;
    ended = length == 0;
    boolean old = http.version() == HttpVersion.HTTP_1_0;
    expects = !ended && !old && http.headers().contains(HttpHeaders.EXPECT);
    if (!ended) {
      http.handler(this::take).endHandler(v -> end());
    }
  }

  /** Whether more is to come from the caller, and is waited for. */
  boolean awaitsCaller() {
    return !ended && (to == null || !to.writeQueueFull());
  }

  boolean isOver() {
    return ended;
  }

  /** Whether the request has no body, as far as is known. */
  boolean isEmpty() {
    return ended && passed == 0;
  }

  /** The bytes that came so far. */
  long passed() {
    return passed;
  }

  /**
   * Lets the caller send.
   *
   * @param go called once it is known whether there is a body
   * @param broken called if the body is not as long as was said
   */
  void admit(Runnable go, Runnable broken) {
    cut = broken;
    if (expects) {
      var unused = http.response().writeContinue();
    }
    boolean unsure = two && length == UNKNOWN && !ended && first == null;
    if (unsure) {
      ready = go;
    } else {
      go.run();
    }
  }

  /** Sends the head, with the length of the body, and the body as it comes. */
  Future<Void> sendTo(HttpClientRequest upstream) {
    if (ended && first == null) {
      if (length == 0 && WITH_BODY.contains(http.method())) {
        upstream.putHeader(HttpHeaders.CONTENT_LENGTH, "0");
      }
      return upstream.end();
    }
    to = upstream;
    if (length != UNKNOWN) {
      upstream.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(length));
    } else if (!ended) {
      upstream.setChunked(true);
    }
    Buffer begin = first;
    first = null;
    if (ended && begin != null) {
      return upstream.end(begin);
    }
    Future<Void> written = begin == null ? upstream.sendHead() : upstream.write(begin);
    flow();
    return written;
  }

  private void flow() {
    if (!ended) {
      http.resume();
    }
  }

  private void take(Buffer chunk) {
    passed += chunk.length();
    if (length != UNKNOWN && passed > length) {
      cut.run();
    } else if (to == null) {
      first = first == null ? chunk : first.copy().appendBuffer(chunk);
      http.pause();
      ready.run();
    } else {
      var unused = to.write(chunk);
      if (to.writeQueueFull()) {
        http.pause();
        to.drainHandler(v -> flow());
      }
    }
  }

  private void end() {
    ended = true;
    if (length != UNKNOWN && passed != length) {
      cut.run();
    } else if (to == null) {
      ready.run();
    } else {
      var unused = to.end();
    }
  }

  /**
   * Prepares for an answer before the body has come: whoever was not told to send it, or has much
   * of it, cannot go on with this connection.
   */
  void announce() {
    if (isLast()) {
      http.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  private boolean isLast() {
    return !two && !ended && (expects || !Linger.fits(length));
  }

  /** After an answer: what still comes is dropped. */
  void discard() {
    first = null;
    if (isLast()) {
      Linger.close(http);
    } else if (!ended) {
      Linger.drop(http);
    }
  }
}
