package io.weir.server.admin;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One who listens to events, as a stream of server-sent events.
 *
 * <p>Who reads too slowly is cut off: what waits for one listener is bounded, and no event waits
 * for any.
 */
final class EventStream {
  private static final int MOST_WAITING = 256;
  private static final int MOST_BYTES = 64 * 1024;
  private static final long BEAT_MILLIS = 5000;

  private final Context context = Vertx.currentContext();
  private final HttpServerResponse response;
  private final Consumer<EventStream> gone;
  private final AtomicInteger waiting = new AtomicInteger();
  private long timer;

  /**
   * @param gone told when nobody listens any more
   */
  EventStream(HttpServerRequest http, Consumer<EventStream> gone) {
    response = http.response();
    this.gone = gone;
  }

  /** Answers, with a first event; on the event loop of the request. */
  void begin(String first) {
    response
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream; charset=utf-8")
        .setChunked(true)
        .setWriteQueueMaxSize(MOST_BYTES);
    timer = context.owner().setPeriodic(BEAT_MILLIS, t -> write(": still here\n\n"));
    response.exceptionHandler(e -> over());
    response.closeHandler(v -> over());
    response.endHandler(v -> over());
    response.write("retry: 2000\n\n" + first);
  }

  /** Sends an event, or gives the listener up; from any thread. */
  void send(String event) {
    if (waiting.incrementAndGet() > MOST_WAITING) {
      context.runOnContext(v -> drop());
    } else {
      context.runOnContext(
          v -> {
            waiting.decrementAndGet();
            write(event);
          });
    }
  }

  private void write(String text) {
    if (response.closed() || response.ended()) {
      return;
    }
    if (response.writeQueueFull()) {
      drop();
    } else {
      response.write(text);
    }
  }

  private void drop() {
    over();
    response.reset();
  }

  /** Ends the stream; from any thread. */
  void end() {
    context.runOnContext(
        v -> {
          if (!response.ended() && !response.closed()) {
            response.end();
          }
        });
  }

  private void over() {
    context.owner().cancelTimer(timer);
    gone.accept(this);
  }
}
