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
 * @param xLabel what the first number of each point is
 * @param yLabel what the second is
 * @param series lines to be drawn
 */
public record ExperimentResult(
    String title,
    Map<String, Double> figures,
    List<String> headings,
    List<List<String>> rows,
    String xLabel,
    String yLabel,
    List<PlotSeries> series) {

  /** A line to be drawn. */
  public record PlotSeries(String name, List<PlotPoint> points) {}

  /** A point of a line. */
  public record PlotPoint(double x, double y) {
    static PlotPoint of(Number x, Number y) {
      return new PlotPoint(round(x.doubleValue()), round(y.doubleValue()));
    }
  }

  /** Rounds to what is worth showing. */
  static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** A number as people write it: without a fraction where there is none. */
  public static String formatNumber(double value) {
    double rounded = round(value);
    return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
        ? String.valueOf((long) rounded)
        : String.valueOf(rounded);
  }

  /** A finding in the making. */
  static final class ResultBuilder {
    private final String title;
    private final String xLabel;
    private final String yLabel;
    private final Map<String, Double> figures = new LinkedHashMap<>();
    private final List<PlotSeries> series = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();
    private List<String> headings = List.of();

    ResultBuilder(String title, String x, String y) {
      this.title = title;
      this.xLabel = x;
      this.yLabel = y;
    }

    ResultBuilder figure(String name, Number value) {
      figures.put(name, round(value.doubleValue()));
      return this;
    }

    ResultBuilder headings(String... names) {
      headings = List.of(names);
      return this;
    }

    ResultBuilder row(String name, Number... cells) {
      List<String> row = new ArrayList<>(List.of(name));
      for (Number cell : cells) {
        row.add(formatNumber(cell.doubleValue()));
      }
      rows.add(row);
      return this;
    }

    /** A row of one of which nothing can be said. */
    ResultBuilder emptyRow(String name) {
      List<String> row = new ArrayList<>(Collections.nCopies(headings.size(), "-"));
      row.set(0, name);
      rows.add(row);
      return this;
    }

    ResultBuilder series(String name, List<PlotPoint> points) {
      series.add(new PlotSeries(name, List.copyOf(points)));
      return this;
    }

    ExperimentResult build() {
      return new ExperimentResult(
          title,
          Collections.unmodifiableMap(figures),
          headings,
          List.copyOf(rows),
          xLabel,
          yLabel,
          List.copyOf(series));
    }
  }
}
