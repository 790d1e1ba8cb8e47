package io.weir.server.metrics;

import java.util.List;
import java.util.stream.Collectors;

/** A scraped page, read by tests. */
record ScrapedMetrics(String text) {

  static ScrapedMetrics of(ServerMetrics metrics) {
    return new ScrapedMetrics(metrics.scrape());
  }

  /** The samples, without their values. */
  List<String> series() {
    return text.lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .toList();
  }

  /** The samples of ours, without their values. */
  List<String> weirSeries() {
    return series().stream().filter(name -> name.startsWith("weir_")).toList();
  }

  /** The names that samples have. */
  List<String> metricNames() {
    return series().stream()
        .map(name -> name.replaceFirst("\\{.*", ""))
        .distinct()
        .collect(Collectors.toList());
  }

  /**
   * The value of a sample, such as {@code weir_requests_total{outcome="allowed"}}.
   *
   * @throws AssertionError if there is none
   */
  double value(String series) {
    return text.lines()
        .filter(line -> line.startsWith(series + " "))
        .map(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + series + " in\n" + text));
  }
}
