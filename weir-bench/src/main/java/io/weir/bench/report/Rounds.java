package io.weir.bench.report;

import java.util.List;

/**
 * How long and how often everything is measured: all trials once per round.
 *
 * @param count the rounds, of which the median counts
 * @param warmups the iterations before those that count
 * @param iterations the iterations that count
 * @param millis the length of an iteration
 */
public record Rounds(int count, int warmups, int iterations, long millis) {
  public static final Rounds QUICK = new Rounds(1, 2, 3, 300);
  public static final Rounds FULL = new Rounds(3, 3, 3, 700);

  public boolean quick() {
    return count == 1;
  }

  /** As these, with a single round, for what does not vary. */
  public Rounds once() {
    return new Rounds(1, warmups, iterations, millis);
  }

  /** Measures all trials in each round and enters what they say in their tables. */
  public void run(List<Trial> trials) throws Exception {
    for (int round = 1; round <= count; round++) {
      int done = 0;
      for (Trial trial : trials) {
        double value = trial.probe().measure();
        trial.table().add(trial.row(), trial.column(), value);
        System.out.printf(
            "  round %d/%d, %d/%d: %s, %s, %s: %s %s%n",
            round,
            count,
            ++done,
            trials.size(),
            trial.table().title(),
            trial.column(),
            trial.row(),
            Table.format(value),
            trial.table().unit());
      }
    }
  }

  /** One cell of a table and how to measure it. */
  public record Trial(Table table, String row, String column, Probe probe) {}

  /** Measures one number. */
  public interface Probe {
    double measure() throws Exception;
  }
}
