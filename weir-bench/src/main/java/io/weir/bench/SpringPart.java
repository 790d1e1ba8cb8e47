package io.weir.bench;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Rounds.Trial;
import io.weir.bench.report.Table;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What the filter of Weir's Spring Boot starter costs a request, beside that of Bucket4j's, both in
 * memory, on the same Spring Boot, each in a JVM of its own; what {@code ./bench spring} measures.
 */
final class SpringPart implements Part {
  private static final String CASE = "one thread";
  private static final String NONE = "none";
  private static final List<String> CANDIDATES =
      List.of(NONE, "weir", "weir-annotation", "bucket4j");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    Table table = Table.lowerIsBetter("A request through the filter alone", "ns of CPU");
    rounds.run(
        CANDIDATES.stream()
            .map(which -> new Trial(table, which, CASE, () -> time(which, rounds)))
            .toList());
    Table overhead = Table.lowerIsBetter("What the filter adds", "ns of CPU per request");
    for (String which : CANDIDATES.subList(1, CANDIDATES.size())) {
      overhead.add(which, CASE, table.median(which, CASE) - table.median(NONE, CASE));
    }
    overhead.note(
        "weir: a rule for an endpoint; weir-annotation: @RateLimit, its handler looked up");
    overhead.result("spring-filter-overhead", CASE, "weir", "bucket4j");
    overhead.result("spring-annotation-overhead", CASE, "weir-annotation", "bucket4j");
    return List.of(table, overhead);
  }

  private static double time(String which, Rounds rounds) throws IOException, InterruptedException {
    Path target = Path.of("weir-bench-spring", "target");
    String classPath =
        target.resolve("classes")
            + File.pathSeparator
            + target.resolve("lib")
            + File.separator
            + "*";
    String requests = rounds.quick() ? "100000" : "400000";
    Map<String, Double> numbers =
        Fork.run(classPath, "io.weir.bench.spring.FilterBench", "512m", which, requests);
    Double nanos = numbers.get("ns");
    if (nanos == null) {
      throw new IllegalStateException(which + " said nothing");
    }
    return nanos;
  }
}
