package io.weir.background;

import java.time.Duration;

/**
 * How one kind of background task fares, of all tasks with the same name in this process.
 *
 * @param name the value of the label {@code task} in metrics
 * @param failures rounds that failed since the process started
 * @param overdue whether one has not completed a round for three times its interval
 * @param sinceLastRound how long the one that waits longest has not completed a round; zero while
 *     idle
 * @param lastFailure what the last round failed with; empty if it completed
 */
public record TaskStatus(
    String name, long failures, boolean overdue, Duration sinceLastRound, String lastFailure) {

  /** Whether its last round completed, in time. */
  public boolean isHealthy() {
    return !overdue && lastFailure.isEmpty();
  }

  /** Of two tasks with the same name. */
  TaskStatus combinedWith(TaskStatus other) {
    return new TaskStatus(
        name,
        failures,
        overdue || other.overdue,
        sinceLastRound.compareTo(other.sinceLastRound) >= 0 ? sinceLastRound : other.sinceLastRound,
        lastFailure.isEmpty() ? other.lastFailure : lastFailure);
  }
}
