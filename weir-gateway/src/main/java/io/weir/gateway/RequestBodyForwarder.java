package io.weir.gateway;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.gateway.grpc.GrpcRequestHeaders;
import io.weir.web.RequestDrainer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the body of a request to an upstream.
 *
 * <p>Reading is paused until the request is forwarded, and whenever the upstream reads too slowly.
 * Meanwhile at most one chunk is buffered here, besides the socket's buffer.
 */
final class RequestBodyForwarder {
  private static final long UNKNOWN_LENGTH = -1;
  private static final Set<HttpMethod> METHODS_WITH_BODY =
      Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

  private final HttpServerRequest http;
  private final boolean http2;
  private final boolean grpc;
  private final boolean expectsContinue;
  private final long length;
  private boolean ended;
  private long bytesReceived;
  private @Nullable Buffer firstChunk;
  private @Nullable HttpClientRequest upstreamRequest;
  private Runnable onBodyKnown = () -> {};
  private Runnable onLengthMismatch = () -> {};

  /** Starts to receive the body of a request. */
  RequestBodyForwarder(HttpServerRequest http) {
    this.http = http;
    http2 = http.version() == HttpVersion.HTTP_2;
    grpc = GrpcRequestHeaders.isGrpc(http);
    String contentLength = http.headers().get(HttpHeaders.CONTENT_LENGTH);
    boolean isChunked = http.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    length =
        contentLength != null
            ? Long.parseLong(contentLength)
            : isChunked || http2 ? UNKNOWN_LENGTH : 0;
    ended = length == 0;
    boolean isHttp10 = http.version() == HttpVersion.HTTP_1_0;
    expectsContinue = !ended && !isHttp10 && http.headers().contains(HttpHeaders.EXPECT);
    if (!ended) {
      http.handler(this::onChunk).endHandler(v -> onEnd());
    }
  }

  /** Whether the gateway waits for the caller to send more. */
  boolean isWaitingForCaller() {
    return !ended && (upstreamRequest == null || !upstreamRequest.writeQueueFull());
  }

  /** Whether this is a gRPC call, whose messages may come at any time. */
  boolean isGrpc() {
    return grpc;
  }

  boolean isFinished() {
    return ended;
  }

  /** Whether the request is known to have no body. */
  boolean isEmpty() {
    return ended && bytesReceived == 0;
  }

  /** The number of body bytes received so far. */
  long bytesReceived() {
    return bytesReceived;
  }

  /**
   * Lets the caller send the body.
   *
   * @param next called as soon as it is known whether there is a body
   * @param onMismatch called if the length of the body differs from {@code Content-Length}
   */
  void admit(Runnable next, Runnable onMismatch) {
    onLengthMismatch = onMismatch;
    if (expectsContinue) {
      var unused = http.response().writeContinue();
    }
    // the server of a gRPC call may speak first, so its caller may send nothing yet
    boolean isUnknown = http2 && !grpc && length == UNKNOWN_LENGTH && !ended && firstChunk == null;
    if (isUnknown) {
      onBodyKnown = next;
    } else {
      next.run();
    }
  }

  /** Sends the request head, with the length of the body, and then the body as it arrives. */
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
    Buffer buffered = firstChunk;
    firstChunk = null;
    if (ended && buffered != null) {
      return upstream.end(buffered);
    }
    Future<Void> written = buffered == null ? upstream.sendHead() : upstream.write(buffered);
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
   * Called before a response that precedes the end of the body. Announces that the connection will
   * be closed if the caller still waits for 100 Continue, or has too much left to discard.
   */
  void prepareEarlyResponse() {
    if (mustCloseConnection()) {
      http.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  private boolean mustCloseConnection() {
    return !http2 && !ended && (expectsContinue || !RequestDrainer.isDrainable(length));
  }

  /** Called after a response: discards the rest of the body. */
  void discard() {
    firstChunk = null;
    if (mustCloseConnection()) {
      RequestDrainer.drainAndClose(http);
    } else if (!ended) {
      RequestDrainer.drain(http);
    }
  }
}
