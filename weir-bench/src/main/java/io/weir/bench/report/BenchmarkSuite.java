package io.weir.bench.report;

import java.util.List;

/** A benchmark suite, which is measured and reported separately. */
public interface BenchmarkSuite {
  /** Measures, prints a line per candidate, and returns the result tables in order. */
  List<ResultTable> measure(MeasurementPlan rounds) throws Exception;
}
