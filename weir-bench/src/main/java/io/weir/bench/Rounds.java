package io.weir.bench;

import java.util.List;

/**
 * How long and how often everything is measured: all trials once per round.
 *
 * @param count the rounds, of which the median counts
 * @param warmups the iterations before those that count
 * @param iterations the iterations that count
 * @param millis the length of an iteration
 */
record Rounds(int count, int warmups, int iterations, long millis) {
  static final Rounds QUICK = new Rounds(1, 2, 3, 300);
  static final Rounds FULL = new Rounds(3, 3, 3, 700);

  boolean quick() {
    return count == 1;
  }

  /** As these, with a single round, for what does not vary. */
  Rounds once() {
    return new Rounds(1, warmups, iterations, millis);
  }

  /** Measures all trials in each round and enters what they say in their tables. */
  void run(List<Trial> trials) throws Exception {
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
  record Trial(Table table, String row, String column, Probe probe) {}

  /** Measures one number. */
  interface Probe {
    double measure() throws Exception;
  }
}
