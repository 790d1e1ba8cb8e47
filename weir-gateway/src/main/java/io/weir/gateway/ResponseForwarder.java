package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.Decision;
import io.weir.gateway.grpc.GrpcRequestHeaders;
import io.weir.http.RateLimitHeaders;
import io.weir.internal.decision.EvaluatedDecision;

/** Forwards the response of an upstream to the caller, no faster than the caller reads. */
final class ResponseForwarder {
  private static final long UNKNOWN_LENGTH = -1;
  private static final String EVENT_STREAM = "text/event-stream";
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;

  /** Rate limit headers of an upstream, which those of the gateway replace. */
  private static final HeaderNames RATE_LIMIT_HEADERS =
      HeaderNames.of(
          RateLimitHeaders.NAMES.stream()
              .filter(name -> !name.equals(RateLimitHeaders.RETRY_AFTER))
              .toArray(String[]::new));

  private static final HeaderNames FORBIDDEN_TRAILERS =
      HopByHopHeaders.STANDARD
          .union(RATE_LIMIT_HEADERS)
          .union(HeaderNames.of("Trailer", "Content-Length", "Host", "Set-Cookie"));

  private final HttpServerRequest http;
  private final HttpServerResponse response;
  private final HttpClientResponse upstreamResponse;
  private final Runnable onDone;
  private final long length;
  private final boolean mayHaveTrailers;
  private final boolean endsWithConnection;
  private long bytesReceived;
  private boolean paused;
  private boolean ended;

  /**
   * Writes the response head and starts forwarding the body.
   *
   * @param onDone called when the whole response has been forwarded
   */
  ResponseForwarder(
      HttpServerRequest http, HttpClientResponse in, Decision decision, Runnable onDone) {
    this.http = http;
    this.upstreamResponse = in;
    this.onDone = onDone;
    response = http.response();
    boolean hasNoBody =
        http.method().equals(HttpMethod.HEAD)
            || in.statusCode() == NO_CONTENT
            || in.statusCode() == NOT_MODIFIED;
    String contentLength = in.headers().get(HttpHeaders.CONTENT_LENGTH);
    length = hasNoBody ? 0 : contentLength == null ? UNKNOWN_LENGTH : Long.parseLong(contentLength);
    // HTTP/2 checks the length itself, and may send trailers in addition
    mayHaveTrailers = !hasNoBody && (length == UNKNOWN_LENGTH || isHttp2(in));
    endsWithConnection = length == UNKNOWN_LENGTH && http.version() == HttpVersion.HTTP_1_0;
    response.setStatusCode(in.statusCode());
    writeHead(decision);
    if (length == UNKNOWN_LENGTH) {
      response.setChunked(true);
    }
    if (isStream(in)) {
      var unused = response.writeHead();
    }
    in.handler(this::onChunk).endHandler(v -> onEnd());
    if (length == 0 && !mayHaveTrailers) {
      finish();
    }
  }

  private static boolean isHttp2(HttpClientResponse in) {
    return in.version() == HttpVersion.HTTP_2;
  }

  /** Whether the caller may wait for the head before there is a body. */
  private static boolean isStream(HttpClientResponse in) {
    String type = in.headers().get(HttpHeaders.CONTENT_TYPE);
    return type != null
        && (type.startsWith(EVENT_STREAM)
            || (GrpcRequestHeaders.isGrpc(type) && !GrpcResponses.isTrailersOnly(in.headers())));
  }

  private void writeHead(Decision decision) {
    MultiMap fields = upstreamResponse.headers();
    HeaderNames named = HopByHopHeaders.namedByConnection(fields);
    boolean isLimited = EvaluatedDecision.of(decision).bindingIndex() >= 0;
    fields.forEach(
        (name, value) -> {
          if (!HopByHopHeaders.STANDARD.contains(name)
              && !named.contains(name)
              && !(isLimited && RATE_LIMIT_HEADERS.contains(name))) {
            response.headers().add(name, value);
          }
        });
    RateLimitHeaders.write(decision, response::putHeader);
  }

  /** Whether forwarding is paused because the caller does not read. */
  boolean isWaitingForCaller() {
    return paused;
  }

  /** The number of body bytes received so far. */
  long bytesReceived() {
    return bytesReceived;
  }

  boolean isFinished() {
    return ended;
  }

  private void onChunk(Buffer chunk) {
    bytesReceived += chunk.length();
    if (ended) {
      return;
    }
    if (!mayHaveTrailers && bytesReceived >= length) {
      ended = true;
      var unused = response.end(chunk);
      onDone.run();
      return;
    }
    var unused = response.write(chunk);
    if (response.writeQueueFull()) {
      paused = true;
      upstreamResponse.pause();
      response.drainHandler(v -> resume());
    }
  }

  private void resume() {
    paused = false;
    upstreamResponse.resume();
  }

  private void onEnd() {
    if (!ended) {
      upstreamResponse
          .trailers()
          .forEach(
              (name, value) -> {
                if (!FORBIDDEN_TRAILERS.contains(name)) {
                  response.trailers().add(name, value);
                }
              });
      finish();
    }
  }

  private void finish() {
    ended = true;
    var written = response.end();
    if (endsWithConnection) {
      written.onComplete(v -> http.connection().close());
    }
    onDone.run();
  }
}
