package io.weir.rules.database;

import java.time.Duration;

/** How finely history is kept, and for how long. */
public enum TrafficResolution {
  MINUTE(60, Duration.ofDays(1)),
  HOUR(3600, Duration.ofDays(90));

  private final int seconds;
  private final Duration retention;

  TrafficResolution(int seconds, Duration kept) {
    this.seconds = seconds;
    this.retention = kept;
  }

  public int seconds() {
    return seconds;
  }

  public Duration retention() {
    return retention;
  }

  /** When the step began that a moment is in; both in seconds since the epoch. */
  public long startOf(long second) {
    return Math.floorDiv(second, seconds) * seconds;
  }

  /** The oldest step that is kept. */
  public long oldestKept(long second) {
    return startOf(second) - retention.toSeconds() + seconds;
  }
}
