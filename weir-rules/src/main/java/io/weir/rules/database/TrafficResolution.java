package io.weir.rules.database;

import java.time.Duration;

/** The resolutions in which traffic counts are stored, with their retention. */
public enum TrafficResolution {
  MINUTE(60, Duration.ofDays(1)),
  HOUR(3600, Duration.ofDays(90));

  private final int seconds;
  private final Duration retention;

  TrafficResolution(int seconds, Duration retention) {
    this.seconds = seconds;
    this.retention = retention;
  }

  public int seconds() {
    return seconds;
  }

  public Duration retention() {
    return retention;
  }

  /** Returns the start of the interval that contains a time; both in seconds since the epoch. */
  public long startOf(long second) {
    return Math.floorDiv(second, seconds) * seconds;
  }

  /**
   * Returns the start of the oldest interval that is kept at a time, in seconds since the epoch.
   */
  public long oldestKept(long second) {
    return startOf(second) - retention.toSeconds() + seconds;
  }
}
