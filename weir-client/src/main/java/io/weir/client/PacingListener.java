package io.weir.client;

import java.net.URI;
import java.time.Duration;

/**
 * Listens to the pacing of calls, for metrics and logs. Called on the thread of the event, so
 * implementations must not block; exceptions are ignored.
 */
public interface PacingListener {
  PacingListener NONE = new PacingListener() {};

  /** A call is sent after this wait. */
  default void waited(URI uri, Duration wait) {}

  /** The service refused a call; its class is held for this time, 0 if none was given. */
  default void refused(URI uri, int status, Duration retryAfter) {}

  /** A call is retried after this wait; the first retry is attempt 2. */
  default void retrying(URI uri, int attempt, Duration wait) {}

  /** A call fails or is not retried: too late, too many attempts, or retry budget exhausted. */
  default void gaveUp(URI uri, String reason) {}
}
