package io.weir.rules.database;

import java.time.Duration;

/** How finely history is kept, and for how long. */
public enum Step {
  MINUTE(60, Duration.ofDays(1)),
  HOUR(3600, Duration.ofDays(90));

  private final int seconds;
  private final Duration kept;

  Step(int seconds, Duration kept) {
    this.seconds = seconds;
    this.kept = kept;
  }

  public int seconds() {
    return seconds;
  }

  public Duration kept() {
    return kept;
  }

  /** When the step began that a moment is in; both in seconds since the epoch. */
  public long began(long second) {
    return Math.floorDiv(second, seconds) * seconds;
  }

  /** The oldest step that is kept. */
  public long oldest(long second) {
    return began(second) - kept.toSeconds() + seconds;
  }
}
