package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.server.web.JsonFields;
import io.weir.store.Clock;
import io.weir.store.Outcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * News of a node, for those who listen: refusals, of which there may be too many to tell all,
 * changes of rules, the store lost and found.
 *
 * <p>While nobody listens it costs a read. Safe for any number of threads.
 */
final class Events {
  static final int MOST_STREAMS = 64;
  private static final int LONGEST_ENDPOINT = 200;

  private final Clock clock;
  private final List<EventStream> streams = new CopyOnWriteArrayList<>();
  private final Sampling refusals;
  private final Sampling degradations;
  private boolean closed;

  Events(Clock clock) {
    this.clock = clock;
    refusals = new Sampling("20/second", clock);
    degradations = new Sampling("1/second", clock);
  }

  /**
   * Tells a listener all news from now on.
   *
   * @return whether there is room for one more
   */
  synchronized boolean open(HttpServerRequest http, Consumer<JsonFields> hello) {
    if (closed || streams.size() >= MOST_STREAMS) {
      return false;
    }
    EventStream stream = new EventStream(http, streams::remove);
    streams.add(stream);
    stream.begin(event("hello", hello));
    return true;
  }

  int listeners() {
    return streams.size();
  }

  void tell(String type, Consumer<JsonFields> fields) {
    if (!streams.isEmpty()) {
      String event = event(type, fields);
      streams.forEach(stream -> stream.send(event));
    }
  }

  void refused(Request request, Rule rule, Outcome outcome) {
    if (streams.isEmpty()) {
      return;
    }
    long leftOut = refusals.next();
    if (leftOut != Sampling.LEFT_OUT) {
      tell("refused", json -> refusal(json, request, rule, outcome).number("left_out", leftOut));
    }
  }

  private static JsonFields refusal(JsonFields json, Request request, Rule rule, Outcome outcome) {
    String endpoint = request.get("endpoint");
    json.text("rule", rule.id()).truth("shadow", rule.shadow());
    json.json("caller", CallerNames.json(CallerNames.of(rule.per(), request)));
    if (endpoint != null) {
      int length = Math.min(endpoint.length(), LONGEST_ENDPOINT);
      json.text("endpoint", endpoint.substring(0, length));
    }
    return json.truth("degraded", outcome.degraded())
        .number("retry_after_ms", (outcome.waitFor() + 999) / 1000);
  }

  void degraded() {
    if (streams.isEmpty()) {
      return;
    }
    long leftOut = degradations.next();
    if (leftOut != Sampling.LEFT_OUT) {
      tell("degraded", json -> json.number("decisions", leftOut + 1));
    }
  }

  private String event(String type, Consumer<JsonFields> fields) {
    Instant now = Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS);
    JsonFields json = new JsonFields().text("time", now.toString());
    fields.accept(json);
    return "event: " + type + "\ndata: " + json.end() + "\n\n";
  }

  /** Ends all streams and opens no more, for a node that stops. */
  synchronized void close() {
    closed = true;
    streams.forEach(EventStream::end);
  }
}
