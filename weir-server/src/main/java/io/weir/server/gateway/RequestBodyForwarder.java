package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.web.RequestDrainer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request on its way upstream.
 *
 * <p>Until the request is forwarded, and whenever the upstream does not take more, nothing is read:
 * what waits is one chunk here, and what the socket holds.
 */
final class RequestBodyForwarder {
  private static final long UNKNOWN_LENGTH = -1;
  private static final Set<HttpMethod> METHODS_WITH_BODY =
      Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

  private final HttpServerRequest http;
  private final boolean http2;
  private final boolean expectsContinue;
  private final long length;
  private boolean ended;
  private long bytesReceived;
  private @Nullable Buffer firstChunk;
  private @Nullable HttpClientRequest upstreamRequest;
  private Runnable onBodyKnown = () -> {};
  private Runnable onLengthMismatch = () -> {};

  /** Begins to take the body of a request that has just come. */
  RequestBodyForwarder(HttpServerRequest http) {
    this.http = http;
    http2 = http.version() == HttpVersion.HTTP_2;
    String said = http.headers().get(HttpHeaders.CONTENT_LENGTH);
    boolean chunked = http.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    length = said != null ? Long.parseLong(said) : chunked || http2 ? UNKNOWN_LENGTH : 0;
    ended = length == 0;
    boolean old = http.version() == HttpVersion.HTTP_1_0;
    expectsContinue = !ended && !old && http.headers().contains(HttpHeaders.EXPECT);
    if (!ended) {
      http.handler(this::onChunk).endHandler(v -> onEnd());
    }
  }

  /** Whether more is to come from the caller, and is waited for. */
  boolean isWaitingForCaller() {
    return !ended && (upstreamRequest == null || !upstreamRequest.writeQueueFull());
  }

  boolean isFinished() {
    return ended;
  }

  /** Whether the request has no body, as far as is known. */
  boolean isEmpty() {
    return ended && bytesReceived == 0;
  }

  /** The bytes that came so far. */
  long bytesReceived() {
    return bytesReceived;
  }

  /**
   * Lets the caller send.
   *
   * @param go called once it is known whether there is a body
   * @param broken called if the body is not as long as was said
   */
  void admit(Runnable go, Runnable broken) {
    onLengthMismatch = broken;
    if (expectsContinue) {
      var unused = http.response().writeContinue();
    }
    boolean unsure = http2 && length == UNKNOWN_LENGTH && !ended && firstChunk == null;
    if (unsure) {
      onBodyKnown = go;
    } else {
      go.run();
    }
  }

  /** Sends the head, with the length of the body, and the body as it comes. */
  Future<Void> sendTo(HttpClientRequest upstream) {
    if (ended && firstChunk == null) {
      if (length == 0 && METHODS_WITH_BODY.contains(http.method())) {
        upstream.putHeader(HttpHeaders.CONTENT_LENGTH, "0");
      }
      return upstream.end();
    }
    upstreamRequest = upstream;
    if (length != UNKNOWN_LENGTH) {
      upstream.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(length));
    } else if (!ended) {
      upstream.setChunked(true);
    }
    Buffer begin = firstChunk;
    firstChunk = null;
    if (ended && begin != null) {
      return upstream.end(begin);
    }
    Future<Void> written = begin == null ? upstream.sendHead() : upstream.write(begin);
    resume();
    return written;
  }

  private void resume() {
    if (!ended) {
      http.resume();
    }
  }

  private void onChunk(Buffer chunk) {
    bytesReceived += chunk.length();
    if (length != UNKNOWN_LENGTH && bytesReceived > length) {
      onLengthMismatch.run();
    } else if (upstreamRequest == null) {
      firstChunk = firstChunk == null ? chunk : firstChunk.copy().appendBuffer(chunk);
      http.pause();
      onBodyKnown.run();
    } else {
      var unused = upstreamRequest.write(chunk);
      if (upstreamRequest.writeQueueFull()) {
        http.pause();
        upstreamRequest.drainHandler(v -> resume());
      }
    }
  }

  private void onEnd() {
    ended = true;
    if (length != UNKNOWN_LENGTH && bytesReceived != length) {
      onLengthMismatch.run();
    } else if (upstreamRequest == null) {
      onBodyKnown.run();
    } else {
      var unused = upstreamRequest.end();
    }
  }

  /**
   * Prepares for an answer before the body has come: whoever was not told to send it, or has much
   * of it, cannot go on with this connection.
   */
  void prepareEarlyResponse() {
    if (mustCloseConnection()) {
      http.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  private boolean mustCloseConnection() {
    return !http2 && !ended && (expectsContinue || !RequestDrainer.isDrainable(length));
  }

  /** After an answer: what still comes is dropped. */
  void discard() {
    firstChunk = null;
    if (mustCloseConnection()) {
      RequestDrainer.drainAndClose(http);
    } else if (!ended) {
      RequestDrainer.drain(http);
    }
  }
}
