package io.weir.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an experiment found.
 *
 * @param figures what it comes down to, by name
 * @param headings of the rows
 * @param rows the same side by side, where there is more than one of a kind
 * @param x what the first number of each point is
 * @param y what the second is
 * @param series lines to be drawn
 */
public record Finding(
    String title,
    Map<String, Double> figures,
    List<String> headings,
    List<List<String>> rows,
    String x,
    String y,
    List<Series> series) {

  /** A line to be drawn. */
  public record Series(String name, List<Point> points) {}

  /** A point of a line. */
  public record Point(double x, double y) {
    static Point of(Number x, Number y) {
      return new Point(round(x.doubleValue()), round(y.doubleValue()));
    }
  }

  /** Rounds to what is worth showing. */
  static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** A number as people write it: without a fraction where there is none. */
  public static String number(double value) {
    double rounded = round(value);
    return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
        ? String.valueOf((long) rounded)
        : String.valueOf(rounded);
  }

  /** A finding in the making. */
  static final class Notes {
    private final String title;
    private final String x;
    private final String y;
    private final Map<String, Double> figures = new LinkedHashMap<>();
    private final List<Series> series = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();
    private List<String> headings = List.of();

    Notes(String title, String x, String y) {
      this.title = title;
      this.x = x;
      this.y = y;
    }

    Notes figure(String name, Number value) {
      figures.put(name, round(value.doubleValue()));
      return this;
    }

    Notes headings(String... names) {
      headings = List.of(names);
      return this;
    }

    Notes row(String name, Number... cells) {
      List<String> row = new ArrayList<>(List.of(name));
      for (Number cell : cells) {
        row.add(number(cell.doubleValue()));
      }
      rows.add(row);
      return this;
    }

    /** A row of one of which nothing can be said. */
    Notes emptyRow(String name) {
      List<String> row = new ArrayList<>(Collections.nCopies(headings.size(), "-"));
      row.set(0, name);
      rows.add(row);
      return this;
    }

    Notes series(String name, List<Point> points) {
      series.add(new Series(name, List.copyOf(points)));
      return this;
    }

    Finding end() {
      return new Finding(
          title,
          Collections.unmodifiableMap(figures),
          headings,
          List.copyOf(rows),
          x,
          y,
          List.copyOf(series));
    }
  }
}
