package io.weir.bench.report;

import java.util.List;

/** Something that is measured and reported by itself. */
public interface BenchmarkSuite {
  /** Measures, printing a line per candidate, and returns what it found, in order. */
  List<ResultTable> measure(MeasurementPlan rounds) throws Exception;
}
