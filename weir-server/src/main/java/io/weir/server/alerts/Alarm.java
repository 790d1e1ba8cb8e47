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
final class Alarm {
  private static final long SECOND = 1_000_000;
  private static final long CALM = 10 * SECOND;
  private static final long QUIET = 60 * SECOND;
  private static final long RETRY = 10 * SECOND;

  private final String event;
  private final Supplier<Optional<String>> trouble;
  private boolean on;
  private boolean told;
  private long since;
  private long lastSeen;
  private long notBefore = Long.MIN_VALUE;
  private String reason = "";

  /**
   * @param trouble why there is trouble now, if there is
   */
  Alarm(String event, Supplier<Optional<String>> trouble) {
    this.event = event;
    this.trouble = trouble;
  }

  /** Looks; what is to be told now, if anything. */
  @Nullable Notice look(long now) {
    Optional<String> seen = trouble.get();
    if (seen.isPresent()) {
      since = on ? since : now;
      on = true;
      lastSeen = now;
      reason = seen.get();
    } else if (on && now - lastSeen >= CALM) {
      on = false;
    }
    if (on == told || now < notBefore) {
      return null;
    }
    return on ? new Notice(event, since, reason) : new Notice("recovered", since, event);
  }

  /** Notes whether what the last look gave could be told. */
  void told(boolean heard, long now) {
    if (heard) {
      told = on;
      notBefore = on ? now : now + QUIET;
    } else {
      notBefore = now + RETRY;
    }
  }
}
