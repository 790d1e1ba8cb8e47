package io.weir.cli;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one rule did in a replay: matches, refusals, and the callers it refused. Not thread-safe.
 */
final class RuleReplayStats {
  /** Bounds the memory; callers beyond it are counted together. */
  private static final int MAX_CALLERS = 200_000;

  private final Map<String, Long> refusedByCaller = new HashMap<>();
  private long matched;
  private long refused;
  private long firstRefusalMicros;

  /** A caller and the number of its refused requests. */
  record RefusedCaller(String caller, long refused) {}

  void recordMatch() {
    matched++;
  }

  void recordRefusal(String caller, long micros) {
    if (refused++ == 0) {
      firstRefusalMicros = micros;
    }
    if (refusedByCaller.size() < MAX_CALLERS || refusedByCaller.containsKey(caller)) {
      refusedByCaller.merge(caller, 1L, Long::sum);
    }
  }

  long matched() {
    return matched;
  }

  long refused() {
    return refused;
  }

  long firstRefusalMicros() {
    return firstRefusalMicros;
  }

  /** Returns the number of refused callers, with a + if there are more than were counted. */
  String callerCount() {
    return refusedByCaller.size() + (refusedByCaller.size() == MAX_CALLERS ? "+" : "");
  }

  /** Returns the callers refused most, in that order. */
  List<RefusedCaller> topCallers(int count) {
    return refusedByCaller.entrySet().stream()
        .map(entry -> new RefusedCaller(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.comparingLong(RefusedCaller::refused)
                .reversed()
                .thenComparing(RefusedCaller::caller))
        .limit(count)
        .toList();
  }
}
