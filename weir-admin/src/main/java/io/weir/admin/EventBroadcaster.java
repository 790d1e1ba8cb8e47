package io.weir.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Request;
import io.weir.internal.JsonObjectBuilder;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Broadcasts the events of a node to all subscribers: refusals (sampled), rule changes, and the
 * store being lost or found.
 *
 * <p>Without subscribers an event costs one read. Thread-safe.
 */
final class EventBroadcaster {
  static final int MAX_STREAMS = 64;
  private static final int MAX_ENDPOINT_LENGTH = 200;

  private final Clock clock;
  private final List<EventStream> streams = new CopyOnWriteArrayList<>();
  private final EventSampler refusalSampler;
  private final EventSampler degradedSampler;
  private boolean closed;

  EventBroadcaster(Clock clock) {
    this.clock = clock;
    refusalSampler = new EventSampler("20/second", clock);
    degradedSampler = new EventSampler("1/second", clock);
  }

  /**
   * Subscribes a client to all events from now on.
   *
   * @return false if there are too many subscribers or the node is stopping
   */
  synchronized boolean subscribe(HttpServerRequest http, Consumer<JsonObjectBuilder> hello) {
    if (closed || streams.size() >= MAX_STREAMS) {
      return false;
    }
    EventStream stream = new EventStream(http, streams::remove);
    streams.add(stream);
    stream.start(format("hello", hello));
    return true;
  }

  int subscriberCount() {
    return streams.size();
  }

  void publish(String type, Consumer<JsonObjectBuilder> fields) {
    if (!streams.isEmpty()) {
      String event = format(type, fields);
      streams.forEach(stream -> stream.send(event));
    }
  }

  void publishRefusal(Request request, Rule rule, ClaimOutcome outcome) {
    if (streams.isEmpty()) {
      return;
    }
    long skipped = refusalSampler.sample();
    if (skipped != EventSampler.NOT_SAMPLED) {
      publish(
          "refused", json -> refusalJson(json, request, rule, outcome).number("left_out", skipped));
    }
  }

  private static JsonObjectBuilder refusalJson(
      JsonObjectBuilder json, Request request, Rule rule, ClaimOutcome outcome) {
    String endpoint = request.get("endpoint");
    json.text("rule", rule.id()).bool("shadow", rule.shadow());
    json.textMap("caller", CallerLabels.of(rule.per(), request));
    if (endpoint != null) {
      int length = Math.min(endpoint.length(), MAX_ENDPOINT_LENGTH);
      json.text("endpoint", endpoint.substring(0, length));
    }
    return json.bool("degraded", outcome.degraded())
        .number("retry_after_ms", (outcome.retryAfter() + 999) / 1000);
  }

  void publishDegraded() {
    if (streams.isEmpty()) {
      return;
    }
    long skipped = degradedSampler.sample();
    if (skipped != EventSampler.NOT_SAMPLED) {
      publish("degraded", json -> json.number("decisions", skipped + 1));
    }
  }

  private String format(String type, Consumer<JsonObjectBuilder> fields) {
    Instant now = Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS);
    JsonObjectBuilder json = new JsonObjectBuilder().text("time", now.toString());
    fields.accept(json);
    return "event: " + type + "\ndata: " + json.build() + "\n\n";
  }

  /** Ends all streams and rejects new subscribers; used when the node stops. */
  synchronized void close() {
    closed = true;
    streams.forEach(EventStream::finish);
  }
}
