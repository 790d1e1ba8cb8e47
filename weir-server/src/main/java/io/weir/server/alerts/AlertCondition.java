package io.weir.server.alerts;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One kind of trouble: whether there is any, and whether that has been told. For one thread.
 *
 * <p>What was told follows what is, as soon as it may: trouble is over once it has been calm for
 * ten seconds, it is told anew at most once a minute, and what could not be told is tried again. So
 * trouble that comes and goes makes few notices, and a webhook that was away gets the present
 * state.
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
   * @param trouble why there is trouble now, if there is
   */
  AlertCondition(String event, Supplier<Optional<String>> trouble) {
    this.event = event;
    this.probe = trouble;
  }

  /** Looks; what is to be told now, if anything. */
  @Nullable AlertNotification check(long now) {
    Optional<String> seen = probe.get();
    if (seen.isPresent()) {
      sinceMicros = active ? sinceMicros : now;
      active = true;
      lastSeenMicros = now;
      reason = seen.get();
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

  /** Notes whether what the last look gave could be told. */
  void recordDelivery(boolean heard, long now) {
    if (heard) {
      reportedActive = active;
      notBeforeMicros = active ? now : now + MIN_REPEAT_MICROS;
    } else {
      notBeforeMicros = now + RETRY_DELAY_MICROS;
    }
  }
}
