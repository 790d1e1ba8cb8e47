package io.weir.bench;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.MeasurementPlan.BenchmarkTrial;
import io.weir.bench.report.ResultTable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The suite of {@code ./bench spring}: the cost per request of the filters of Weir's and Bucket4j's
 * Spring Boot starters, both in memory, on the same Spring Boot, each in a separate JVM.
 */
final class SpringSuite implements BenchmarkSuite {
  private static final String COLUMN = "one thread";
  private static final String NONE = "none";
  private static final List<String> CANDIDATES =
      List.of(NONE, "weir", "weir-annotation", "bucket4j");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    ResultTable table =
        ResultTable.lowerIsBetter("A request through the filter alone", "ns of CPU");
    rounds.run(
        CANDIDATES.stream()
            .map(
                which ->
                    new BenchmarkTrial(table, which, COLUMN, () -> measureNanos(which, rounds)))
            .toList());
    ResultTable overhead =
        ResultTable.lowerIsBetter("What the filter adds", "ns of CPU per request");
    for (String which : CANDIDATES.subList(1, CANDIDATES.size())) {
      overhead.add(which, COLUMN, table.median(which, COLUMN) - table.median(NONE, COLUMN));
    }
    overhead.addNote(
        "weir: a rule for an endpoint; weir-annotation: @RateLimit with handler lookup");
    overhead.addResult("spring-filter-overhead", COLUMN, "weir", "bucket4j");
    overhead.addResult("spring-annotation-overhead", COLUMN, "weir-annotation", "bucket4j");
    return List.of(table, overhead);
  }

  private static double measureNanos(String which, MeasurementPlan rounds)
      throws IOException, InterruptedException {
    Path target = Path.of("weir-bench-spring", "target");
    String classPath =
        target.resolve("classes")
            + File.pathSeparator
            + target.resolve("lib")
            + File.separator
            + "*";
    String requests = rounds.isQuick() ? "100000" : "400000";
    Map<String, Double> numbers =
        ForkedJvm.run(classPath, "io.weir.bench.spring.FilterBench", "512m", which, requests);
    Double nanos = numbers.get("ns");
    if (nanos == null) {
      throw new IllegalStateException(which + " printed no result");
    }
    return nanos;
  }
}
