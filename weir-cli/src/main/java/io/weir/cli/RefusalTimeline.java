package io.weir.cli;

import io.weir.lab.ExperimentResult.PlotPoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts events by name in equal parts of a span that is not known in advance: when it grows, the
 * parts become wider. Times must not decrease. Not thread-safe.
 */
final class RefusalTimeline {
  private static final int MAX_PARTS = 240;

  /** Each width is a multiple of the one before. */
  private static final long[] PART_SECONDS = {
    1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 604_800
  };

  private static final long MICROS_PER_SECOND = 1_000_000;

  private final Map<String, long[]> counts = new HashMap<>();
  private long startMicros = -1;
  private long partMicros = MICROS_PER_SECOND;
  private int width;
  private int parts;

  void add(String name, long micros) {
    part(micros);
    counts.computeIfAbsent(name, n -> new long[MAX_PARTS])[part(micros)]++;
  }

  /** Returns the part of a time, and includes it in the span. */
  private int part(long micros) {
    if (startMicros < 0) {
      startMicros = micros - micros % MICROS_PER_SECOND;
    }
    while ((micros - startMicros) / partMicros >= MAX_PARTS && width < PART_SECONDS.length - 1) {
      int factor = (int) (PART_SECONDS[width + 1] / PART_SECONDS[width]);
      counts.values().forEach(of -> join(of, factor));
      partMicros = PART_SECONDS[++width] * MICROS_PER_SECOND;
      parts = (parts + factor - 1) / factor;
    }
    int part = (int) Math.min(MAX_PARTS - 1, (micros - startMicros) / partMicros);
    parts = Math.max(parts, part + 1);
    return part;
  }

  /** Adds up so many neighbors each. */
  private static void join(long[] counts, int neighbors) {
    long[] old = counts.clone();
    Arrays.fill(counts, 0);
    for (int i = 0; i < MAX_PARTS; i++) {
      counts[i / neighbors] += old[i];
    }
  }

  long partSeconds() {
    return partMicros / MICROS_PER_SECOND;
  }

  /** The part with the most events of a name. */
  record Peak(long startMicros, long count) {}

  Peak peak(String name) {
    long[] of = counts.getOrDefault(name, new long[1]);
    int highest = 0;
    for (int i = 0; i < of.length; i++) {
      highest = of[i] > of[highest] ? i : highest;
    }
    return new Peak(startMicros + highest * partMicros, of[highest]);
  }

  /** Returns the counts of a name over the seconds since the start. */
  List<PlotPoint> points(String name) {
    long[] of = counts.getOrDefault(name, new long[MAX_PARTS]);
    List<PlotPoint> points = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      points.add(new PlotPoint(i * partSeconds(), of[i]));
    }
    return points;
  }
}
