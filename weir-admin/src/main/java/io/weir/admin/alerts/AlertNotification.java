package io.weir.admin.alerts;

import io.weir.internal.JsonObjectBuilder;
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
    return new JsonObjectBuilder()
        .text("event", event)
        .text("node", node)
        .text("since", Instant.EPOCH.plus(sinceMicros / 1000, ChronoUnit.MILLIS).toString())
        .text("reason", reason)
        .build();
  }
}
