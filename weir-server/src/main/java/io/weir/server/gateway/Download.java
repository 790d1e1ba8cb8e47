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
final class Download {
  private static final long UNKNOWN = -1;
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;

  /** An upstream's own words on limits, where ours are said. */
  private static final Names LIMITS =
      Names.of(
          RateLimitHeaders.NAMES.stream()
              .filter(name -> !name.equals(RateLimitHeaders.RETRY_AFTER))
              .toArray(String[]::new));

  private static final Names NO_TRAILERS =
      HopByHop.ALWAYS.and(LIMITS).and(Names.of("Trailer", "Content-Length", "Host", "Set-Cookie"));

  private final HttpServerRequest http;
  private final HttpServerResponse out;
  private final HttpClientResponse in;
  private final Runnable done;
  private final long length;
  private final boolean untilClosed;
  private long passed;
  private boolean paused;
  private boolean ended;

  /**
   * Writes the head and begins.
   *
   * @param done called when all of it was passed on
   */
  Download(HttpServerRequest http, HttpClientResponse in, Decision decision, Runnable done) {
    this.http = http;
    this.in = in;
    this.done = done;
    out = http.response();
    boolean bodiless =
        http.method().equals(HttpMethod.HEAD)
            || in.statusCode() == NO_CONTENT
            || in.statusCode() == NOT_MODIFIED;
    String said = in.headers().get(HttpHeaders.CONTENT_LENGTH);
    length = bodiless ? 0 : said == null ? UNKNOWN : Long.parseLong(said);
    untilClosed = length == UNKNOWN && http.version() == HttpVersion.HTTP_1_0;
    out.setStatusCode(in.statusCode());
    writeHead(decision);
    if (length == UNKNOWN) {
      out.setChunked(true);
    }
    in.handler(this::take).endHandler(v -> end());
    if (length == 0) {
      finish();
    }
  }

  private void writeHead(Decision decision) {
    MultiMap fields = in.headers();
    Names named = HopByHop.namedBy(fields);
    boolean limited = decision.binding() >= 0;
    fields.forEach(
        (name, value) -> {
          if (!HopByHop.ALWAYS.has(name) && !named.has(name) && !(limited && LIMITS.has(name))) {
            out.headers().add(name, value);
          }
        });
    RateLimitHeaders.write(decision, out::putHeader);
  }

  /** Whether the caller takes nothing more for now. */
  boolean awaitsCaller() {
    return paused;
  }

  /** The bytes that came so far. */
  long passed() {
    return passed;
  }

  boolean isOver() {
    return ended;
  }

  private void take(Buffer chunk) {
    passed += chunk.length();
    if (ended) {
      return;
    }
    if (length != UNKNOWN && passed >= length) {
      ended = true;
      var unused = out.end(chunk);
      done.run();
      return;
    }
    var unused = out.write(chunk);
    if (out.writeQueueFull()) {
      paused = true;
      in.pause();
      out.drainHandler(v -> flow());
    }
  }

  private void flow() {
    paused = false;
    in.resume();
  }

  private void end() {
    if (!ended) {
      in.trailers()
          .forEach(
              (name, value) -> {
                if (!NO_TRAILERS.has(name)) {
                  out.trailers().add(name, value);
                }
              });
      finish();
    }
  }

  private void finish() {
    ended = true;
    var written = out.end();
    if (untilClosed) {
      written.onComplete(v -> http.connection().close());
    }
    done.run();
  }
}
