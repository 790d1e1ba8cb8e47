package io.weir.server.alerts;

import io.weir.http.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What a webhook is told.
 *
 * @param event what began, or {@code recovered}
 * @param since when the trouble began, in microseconds since the epoch
 * @param reason why, in words; of {@code recovered}, the event that is over
 */
record Notice(String event, long since, String reason) {

  String json(String node) {
    StringBuilder out = new StringBuilder("{\"event\":");
    Json.quote(out, event).append(",\"node\":");
    Json.quote(out, node).append(",\"since\":");
    Instant began = Instant.EPOCH.plus(since / 1000, ChronoUnit.MILLIS);
    Json.quote(out, began.toString()).append(",\"reason\":");
    return Json.quote(out, reason).append('}').toString();
  }
}
