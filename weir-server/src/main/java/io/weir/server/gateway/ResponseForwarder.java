package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.Decision;
import io.weir.http.RateLimitHeaders;

/** The answer of an upstream on its way to the caller; read only as fast as the caller takes it. */
final class ResponseForwarder {
  private static final long UNKNOWN_LENGTH = -1;
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;

  /** An upstream's own words on limits, where ours are said. */
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
  private final boolean endsWithConnection;
  private long bytesReceived;
  private boolean paused;
  private boolean ended;

  /**
   * Writes the head and begins.
   *
   * @param done called when all of it was passed on
   */
  ResponseForwarder(
      HttpServerRequest http, HttpClientResponse in, Decision decision, Runnable done) {
    this.http = http;
    this.upstreamResponse = in;
    this.onDone = done;
    response = http.response();
    boolean bodiless =
        http.method().equals(HttpMethod.HEAD)
            || in.statusCode() == NO_CONTENT
            || in.statusCode() == NOT_MODIFIED;
    String said = in.headers().get(HttpHeaders.CONTENT_LENGTH);
    length = bodiless ? 0 : said == null ? UNKNOWN_LENGTH : Long.parseLong(said);
    endsWithConnection = length == UNKNOWN_LENGTH && http.version() == HttpVersion.HTTP_1_0;
    response.setStatusCode(in.statusCode());
    writeHead(decision);
    if (length == UNKNOWN_LENGTH) {
      response.setChunked(true);
    }
    in.handler(this::onChunk).endHandler(v -> onEnd());
    if (length == 0) {
      finish();
    }
  }

  private void writeHead(Decision decision) {
    MultiMap fields = upstreamResponse.headers();
    HeaderNames named = HopByHopHeaders.namedByConnection(fields);
    boolean limited = decision.bindingIndex() >= 0;
    fields.forEach(
        (name, value) -> {
          if (!HopByHopHeaders.STANDARD.contains(name)
              && !named.contains(name)
              && !(limited && RATE_LIMIT_HEADERS.contains(name))) {
            response.headers().add(name, value);
          }
        });
    RateLimitHeaders.write(decision, response::putHeader);
  }

  /** Whether the caller takes nothing more for now. */
  boolean isWaitingForCaller() {
    return paused;
  }

  /** The bytes that came so far. */
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
    if (length != UNKNOWN_LENGTH && bytesReceived >= length) {
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
