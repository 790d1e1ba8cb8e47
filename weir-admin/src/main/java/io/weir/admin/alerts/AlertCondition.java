package io.weir.admin.alerts;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One alert condition: whether it is active, and whether that was reported. Not thread-safe.
 *
 * <p>The condition is cleared after ten seconds without a sign of it, it is reported again at most
 * once a minute, and a failed delivery is retried. So a flapping condition causes few
 * notifications, and a webhook that was unreachable gets the current state.
 */
final class AlertCondition {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long CLEAR_DELAY_MICROS = 10 * MICROS_PER_SECOND;
  private static final long MIN_REPEAT_MICROS = 60 * MICROS_PER_SECOND;
  private static final long RETRY_DELAY_MICROS = 10 * MICROS_PER_SECOND;

  private final String event;
  private final Supplier<Optional<String>> probe;
  private boolean active;
  private boolean reportedActive;
  private long sinceMicros;
  private long lastSeenMicros;
  private long notBeforeMicros = Long.MIN_VALUE;
  private String reason = "";

  /**
   * @param probe returns the reason if the condition holds now
   */
  AlertCondition(String event, Supplier<Optional<String>> probe) {
    this.event = event;
    this.probe = probe;
  }

  /** Checks the condition; returns the notification to send now, or null. */
  @Nullable AlertNotification check(long now) {
    Optional<String> found = probe.get();
    if (found.isPresent()) {
      sinceMicros = active ? sinceMicros : now;
      active = true;
      lastSeenMicros = now;
      reason = found.get();
    } else if (active && now - lastSeenMicros >= CLEAR_DELAY_MICROS) {
      active = false;
    }
    if (active == reportedActive || now < notBeforeMicros) {
      return null;
    }
    return active
        ? new AlertNotification(event, sinceMicros, reason)
        : new AlertNotification("recovered", sinceMicros, event);
  }

  /** Records whether the notification of the last check was delivered. */
  void recordDelivery(boolean delivered, long now) {
    if (delivered) {
      reportedActive = active;
      notBeforeMicros = active ? now : now + MIN_REPEAT_MICROS;
    } else {
      notBeforeMicros = now + RETRY_DELAY_MICROS;
    }
  }
}
