package io.weir.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of an experiment: figures, a table and series to plot.
 *
 * @param figures the main figures by name
 * @param headings the column headings of the rows
 * @param rows a table, for example with one row per algorithm
 * @param xLabel the label of the x axis
 * @param yLabel the label of the y axis
 * @param series the lines to plot
 */
public record ExperimentResult(
    String title,
    Map<String, Double> figures,
    List<String> headings,
    List<List<String>> rows,
    String xLabel,
    String yLabel,
    List<PlotSeries> series) {

  /** A line in the plot. */
  public record PlotSeries(String name, List<PlotPoint> points) {}

  /** A point of a series. */
  public record PlotPoint(double x, double y) {
    static PlotPoint of(Number x, Number y) {
      return new PlotPoint(round(x.doubleValue()), round(y.doubleValue()));
    }
  }

  /** Rounds to three decimals. */
  static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** Formats a number, without decimals if it is an integer. */
  public static String formatNumber(double value) {
    double rounded = round(value);
    return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
        ? String.valueOf((long) rounded)
        : String.valueOf(rounded);
  }

  /** Builds a result. */
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

    /** Adds a row without values. */
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
