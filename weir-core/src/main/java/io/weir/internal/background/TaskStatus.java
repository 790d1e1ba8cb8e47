package io.weir.internal.background;

import java.time.Duration;

/**
 * The status of all background tasks with the same name in this process.
 *
 * @param name the name of the tasks, the value of the label {@code task} in metrics
 * @param failures the number of failed rounds since the process started
 * @param overdue whether a task has not completed a round for three times its interval
 * @param sinceLastRound the longest time for which a task has not completed a round; zero while
 *     idle
 * @param lastFailure the error of the last round; empty if it completed
 */
public record TaskStatus(
    String name, long failures, boolean overdue, Duration sinceLastRound, String lastFailure) {

  /** Returns whether the last round completed in time. */
  public boolean isHealthy() {
    return !overdue && lastFailure.isEmpty();
  }

  /** Combines the status of two tasks with the same name. */
  TaskStatus combinedWith(TaskStatus other) {
    return new TaskStatus(
        name,
        failures,
        overdue || other.overdue,
        sinceLastRound.compareTo(other.sinceLastRound) >= 0 ? sinceLastRound : other.sinceLastRound,
        lastFailure.isEmpty() ? other.lastFailure : lastFailure);
  }
}
