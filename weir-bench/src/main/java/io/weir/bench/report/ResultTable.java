package io.weir.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Results of several candidates (rows) in several cases (columns), in one unit. */
public final class ResultTable {
  private final String title;
  private final String unit;
  private final boolean higherIsBetter;
  private final Map<String, Map<String, List<Double>>> cells = new LinkedHashMap<>();
  private final Set<String> columns = new LinkedHashSet<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> results = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private ResultTable(String title, String unit, boolean higherIsBetter) {
    this.title = title;
    this.unit = unit;
    this.higherIsBetter = higherIsBetter;
  }

  /** A table of costs. */
  public static ResultTable lowerIsBetter(String title, String unit) {
    return new ResultTable(title, unit, false);
  }

  /** A table of rates. */
  public static ResultTable higherIsBetter(String title, String unit) {
    return new ResultTable(title, unit, true);
  }

  public String title() {
    return title;
  }

  public String unit() {
    return unit;
  }

  /** Adds the value of one round. */
  public void add(String row, String column, double value) {
    columns.add(column);
    cells
        .computeIfAbsent(row, r -> new LinkedHashMap<>())
        .computeIfAbsent(column, c -> new ArrayList<>())
        .add(value);
  }

  /** Adds a line below the table. */
  public void addNote(String line) {
    notes.add(line);
  }

  /** Adds a failure; the benchmark then ends with exit code 1. */
  public void addFailure(String reason) {
    failures.add("FAILED " + reason);
  }

  public boolean hasFailures() {
    return !failures.isEmpty();
  }

  public Set<String> columns() {
    return columns;
  }

  public boolean hasValues(String row, String column) {
    return !values(row, column).isEmpty();
  }

  /** The median over the rounds. */
  public double median(String row, String column) {
    double[] rounds =
        values(row, column).stream().mapToDouble(Double::doubleValue).sorted().toArray();
    if (rounds.length == 0) {
      throw new IllegalArgumentException(title + " has no values for " + row + ", " + column);
    }
    return rounds[rounds.length / 2];
  }

  /** Adds a result: Weir's row against the best of the peers' rows. */
  public void addResult(String name, String column, String weir, String... peers) {
    var others = Arrays.stream(peers).mapToDouble(peer -> median(peer, column));
    double best =
        (higherIsBetter ? others.max() : others.min())
            .orElseThrow(() -> new IllegalArgumentException(name + " has no peer"));
    addResult(name, median(weir, column), best);
  }

  /** Adds a result: Weir against a peer or a bound. */
  public void addResult(String name, double weir, double peer) {
    double ratio = higherIsBetter ? weir / peer : peer / weir;
    results.add(
        String.format(
            Locale.ROOT,
            "RESULT %s weir=%s best-peer=%s ratio=%.2f",
            name,
            format(weir),
            format(peer),
            ratio));
  }

  public void print() {
    int width = Math.max(18, cells.keySet().stream().mapToInt(String::length).max().orElse(0));
    System.out.printf("%n%s, %s%n%" + (width + 2) + "s", title, unit, "");
    columns.forEach(column -> System.out.print("  " + alignRight(column, column)));
    System.out.println();
    for (String row : cells.keySet()) {
      System.out.printf("  %-" + width + "s", row);
      for (String column : columns) {
        String text = hasValues(row, column) ? format(median(row, column)) : "-";
        System.out.print("  " + alignRight(column, text));
      }
      System.out.println();
    }
    notes.forEach(note -> System.out.println("  " + note));
  }

  public void printResults() {
    results.forEach(System.out::println);
    failures.forEach(System.out::println);
  }

  public static String format(double value) {
    String digits = value == Math.rint(value) ? "%.0f" : value < 10 ? "%.2f" : "%.1f";
    return String.format(Locale.ROOT, digits, value);
  }

  private List<Double> values(String row, String column) {
    return cells.getOrDefault(row, Map.of()).getOrDefault(column, List.of());
  }

  private static String alignRight(String column, String text) {
    return String.format("%" + Math.max(8, column.length()) + "s", text);
  }
}
