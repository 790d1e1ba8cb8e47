package io.weir.admin.alerts;

import io.weir.http.JsonText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A notification for the alert webhook.
 *
 * @param event the condition that began, or {@code recovered}
 * @param sinceMicros when the condition began, in microseconds since the epoch
 * @param reason the reason; for {@code recovered}, the event that is over
 */
record AlertNotification(String event, long sinceMicros, String reason) {

  String toJson(String node) {
    StringBuilder out = new StringBuilder("{\"event\":");
    JsonText.quote(out, event).append(",\"node\":");
    JsonText.quote(out, node).append(",\"since\":");
    Instant began = Instant.EPOCH.plus(sinceMicros / 1000, ChronoUnit.MILLIS);
    JsonText.quote(out, began.toString()).append(",\"reason\":");
    return JsonText.quote(out, reason).append('}').toString();
  }
}
