package io.weir.admin.metrics;

import java.util.List;
import java.util.stream.Collectors;

/** The result of a metrics scrape, for assertions. */
record ScrapedMetrics(String text) {

  static ScrapedMetrics of(ServerMetrics metrics) {
    return new ScrapedMetrics(metrics.scrape());
  }

  /** Returns the time series, without values. */
  List<String> series() {
    return text.lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .toList();
  }

  /** Returns the time series of Weir, without values. */
  List<String> weirSeries() {
    return series().stream().filter(name -> name.startsWith("weir_")).toList();
  }

  /** Returns the metric names. */
  List<String> metricNames() {
    return series().stream()
        .map(name -> name.replaceFirst("\\{.*", ""))
        .distinct()
        .collect(Collectors.toList());
  }

  /**
   * Returns the value of a time series, such as {@code weir_requests_total{outcome="allowed"}}.
   *
   * @throws AssertionError if the time series does not exist
   */
  double value(String series) {
    return text.lines()
        .filter(line -> line.startsWith(series + " "))
        .map(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + series + " in\n" + text));
  }
}
