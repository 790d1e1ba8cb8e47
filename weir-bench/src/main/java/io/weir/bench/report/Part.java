package io.weir.bench.report;

import java.util.List;

/** Something that is measured and reported by itself. */
public interface Part {
  /** Measures, printing a line per candidate, and returns what it found, in order. */
  List<Table> measure(Rounds rounds) throws Exception;
}
