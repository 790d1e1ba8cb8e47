package io.weir.bench.report;

import java.util.List;

/**
 * How often and how long trials are measured; each round runs all trials once.
 *
 * @param rounds the number of rounds; the result is their median
 * @param warmups the number of warm-up iterations
 * @param iterations the number of measured iterations
 * @param iterationMillis the length of an iteration in milliseconds
 */
public record MeasurementPlan(int rounds, int warmups, int iterations, long iterationMillis) {
  public static final MeasurementPlan QUICK = new MeasurementPlan(1, 2, 3, 300);
  public static final MeasurementPlan FULL = new MeasurementPlan(3, 3, 3, 700);

  public boolean isQuick() {
    return rounds == 1;
  }

  /** Returns this plan with a single round, for results without variance. */
  public MeasurementPlan withSingleRound() {
    return new MeasurementPlan(1, warmups, iterations, iterationMillis);
  }

  /** Measures all trials in each round and adds the values to their tables. */
  public void run(List<BenchmarkTrial> trials) throws Exception {
    for (int round = 1; round <= rounds; round++) {
      int done = 0;
      for (BenchmarkTrial trial : trials) {
        double value = trial.measurement().measure();
        trial.table().add(trial.row(), trial.column(), value);
        System.out.printf(
            "  round %d/%d, %d/%d: %s, %s, %s: %s %s%n",
            round,
            rounds,
            ++done,
            trials.size(),
            trial.table().title(),
            trial.column(),
            trial.row(),
            ResultTable.format(value),
            trial.table().unit());
      }
    }
  }

  /** A table cell and its measurement. */
  public record BenchmarkTrial(
      ResultTable table, String row, String column, Measurement measurement) {}

  /** Measures one number. */
  public interface Measurement {
    double measure() throws Exception;
  }
}
