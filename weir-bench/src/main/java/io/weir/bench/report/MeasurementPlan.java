package io.weir.bench.report;

import java.util.List;

/**
 * How long and how often everything is measured: all trials once per round.
 *
 * @param rounds the rounds, of which the median counts
 * @param warmups the iterations before those that count
 * @param iterations the iterations that count
 * @param iterationMillis the length of an iteration
 */
public record MeasurementPlan(int rounds, int warmups, int iterations, long iterationMillis) {
  public static final MeasurementPlan QUICK = new MeasurementPlan(1, 2, 3, 300);
  public static final MeasurementPlan FULL = new MeasurementPlan(3, 3, 3, 700);

  public boolean isQuick() {
    return rounds == 1;
  }

  /** As these, with a single round, for what does not vary. */
  public MeasurementPlan withSingleRound() {
    return new MeasurementPlan(1, warmups, iterations, iterationMillis);
  }

  /** Measures all trials in each round and enters what they say in their tables. */
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

  /** One cell of a table and how to measure it. */
  public record BenchmarkTrial(
      ResultTable table, String row, String column, Measurement measurement) {}

  /** Measures one number. */
  public interface Measurement {
    double measure() throws Exception;
  }
}
