package io.weir.client;

import java.net.URI;
import java.time.Duration;

/**
 * Hears how calls are paced, for metrics and logs. It runs on the thread it happens on, so it must
 * be quick; what it throws is swallowed.
 */
public interface PacingListener {
  PacingListener NONE = new PacingListener() {};

  /** A call was held back and goes now, after this wait. */
  default void waited(URI uri, Duration wait) {}

  /** The service refused a call and holds others of its class off for this long; 0 if not said. */
  default void refused(URI uri, int status, Duration retryAfter) {}

  /** A call is sent again after this wait; the first repetition is attempt 2. */
  default void retrying(URI uri, int attempt, Duration wait) {}

  /** A call that could have been repeated is not: too late, too often, or the budget is spent. */
  default void gaveUp(URI uri, String reason) {}
}
