package io.weir.gateway.routing;

import io.weir.store.Clock;
import java.time.Duration;

/**
 * The health of one upstream, shared by all event loops. Thread-safe.
 *
 * <p>Passive: after {@value #MAX_FAILURES} failures in a row an upstream is ejected, for 10 seconds
 * at first and longer each time, up to 5 minutes. Then it is tried again. Active: an upstream whose
 * health check failed twice in a row is unavailable until a check succeeds.
 */
public final class UpstreamHealth {
  static final int MAX_FAILURES = 5;
  private static final int MAX_FAILED_CHECKS = 2;
  private static final int MAX_DOUBLINGS = 5;
  private static final long EJECTION_MICROS = Duration.ofSeconds(10).toNanos() / 1000;

  private final Clock clock;
  private int failures;
  private int ejections;
  private int failedChecks;
  private volatile long ejectedUntilMicros = Long.MIN_VALUE;
  private volatile boolean checkFailed;

  public UpstreamHealth(Clock clock) {
    this.clock = clock;
  }

  /** Whether requests may be sent to the upstream. */
  public boolean isAvailable() {
    return !checkFailed
        && (ejectedUntilMicros == Long.MIN_VALUE || clock.micros() >= ejectedUntilMicros);
  }

  /** Records that the upstream has answered. */
  public void recordSuccess() {
    if (failures > 0 || ejections > 0) { // read without the lock: a stale value is corrected later
      reset();
    }
  }

  private synchronized void reset() {
    failures = 0;
    ejections = 0;
    ejectedUntilMicros = Long.MIN_VALUE;
  }

  /** Records that the upstream could not be reached, failed, or was late. */
  public synchronized void recordFailure() {
    failures++;
    boolean isEjected = ejectedUntilMicros > clock.micros();
    if (!isEjected && failures >= MAX_FAILURES) {
      ejectedUntilMicros = clock.micros() + (EJECTION_MICROS << Math.min(ejections, MAX_DOUBLINGS));
      ejections++;
    }
  }

  /** Records the result of an active health check. */
  public synchronized void recordCheck(boolean succeeded) {
    failedChecks = succeeded ? 0 : failedChecks + 1;
    checkFailed = failedChecks >= MAX_FAILED_CHECKS;
  }
}
