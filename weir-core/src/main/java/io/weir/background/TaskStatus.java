package io.weir.background;

import java.time.Duration;

/**
 * How one kind of background task fares, of all tasks with the same name in this process.
 *
 * @param name the value of the label {@code task} in metrics
 * @param failures rounds that failed since the process started
 * @param overdue whether one has not completed a round for three times its interval
 * @param since how long the one that waits longest has not completed a round; zero while idle
 * @param failure what the last round failed with; empty if it completed
 */
public record TaskStatus(
    String name, long failures, boolean overdue, Duration since, String failure) {

  /** Whether its last round completed, in time. */
  public boolean isHealthy() {
    return !overdue && failure.isEmpty();
  }

  /** Of two tasks with the same name. */
  TaskStatus and(TaskStatus other) {
    return new TaskStatus(
        name,
        failures,
        overdue || other.overdue,
        since.compareTo(other.since) >= 0 ? since : other.since,
        failure.isEmpty() ? other.failure : failure);
  }
}
