package io.weir.admin;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The server-sent event stream of one client.
 *
 * <p>A client that reads too slowly is disconnected: its queue is bounded, and publishing an event
 * never blocks.
 */
final class EventStream {
  private static final int MAX_PENDING_EVENTS = 256;
  private static final int MAX_BUFFERED_BYTES = 64 * 1024;
  private static final long HEARTBEAT_MILLIS = 5000;

  private final Context context = Vertx.currentContext();
  private final HttpServerResponse response;
  private final Consumer<EventStream> onClosed;
  private final AtomicInteger pendingEvents = new AtomicInteger();
  private long heartbeatTimer;

  /**
   * @param onClosed called when the stream has ended
   */
  EventStream(HttpServerRequest http, Consumer<EventStream> onClosed) {
    response = http.response();
    this.onClosed = onClosed;
  }

  /** Starts the response with a first event. Must be called on the event loop of the request. */
  void start(String first) {
    response
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream; charset=utf-8")
        .setChunked(true)
        .setWriteQueueMaxSize(MAX_BUFFERED_BYTES);
    heartbeatTimer = context.owner().setPeriodic(HEARTBEAT_MILLIS, t -> write(": keep-alive\n\n"));
    response.exceptionHandler(e -> onEnd());
    response.closeHandler(v -> onEnd());
    response.endHandler(v -> onEnd());
    response.write("retry: 2000\n\n" + first);
  }

  /** Sends an event, or disconnects a client that is too slow. Can be called from any thread. */
  void send(String event) {
    if (pendingEvents.incrementAndGet() > MAX_PENDING_EVENTS) {
      context.runOnContext(v -> disconnect());
    } else {
      context.runOnContext(
          v -> {
            pendingEvents.decrementAndGet();
            write(event);
          });
    }
  }

  private void write(String text) {
    if (response.closed() || response.ended()) {
      return;
    }
    if (response.writeQueueFull()) {
      disconnect();
    } else {
      response.write(text);
    }
  }

  private void disconnect() {
    onEnd();
    response.reset();
  }

  /** Ends the stream. Can be called from any thread. */
  void finish() {
    context.runOnContext(
        v -> {
          if (!response.ended() && !response.closed()) {
            response.end();
          }
        });
  }

  private void onEnd() {
    context.owner().cancelTimer(heartbeatTimer);
    onClosed.accept(this);
  }
}
