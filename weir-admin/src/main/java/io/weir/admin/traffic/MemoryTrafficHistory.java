package io.weir.admin.traffic;

import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A traffic history in the memory of one node, used if rules are stored in a file. Bounded by the
 * retention and by the number of rules counted separately. Thread-safe.
 */
final class MemoryTrafficHistory implements TrafficHistoryStore {
  private final Map<TrafficResolution, NavigableMap<Long, Map<String, RuleCounts>>> steps =
      new EnumMap<>(TrafficResolution.class);

  MemoryTrafficHistory() {
    for (TrafficResolution step : TrafficResolution.values()) {
      steps.put(step, new TreeMap<>());
    }
  }

  @Override
  public synchronized void add(long second, Collection<RuleCounts> counts) {
    steps.forEach(
        (resolution, byStart) -> {
          Map<String, RuleCounts> rules =
              byStart.computeIfAbsent(resolution.startOf(second), start -> new HashMap<>());
          counts.forEach(ruleCounts -> TopRules.add(rules, ruleCounts));
          byStart.headMap(resolution.oldestKept(second)).clear();
        });
  }

  @Override
  public synchronized NavigableMap<Long, RuleCounts> of(
      String rule, TrafficResolution step, long from) {
    NavigableMap<Long, RuleCounts> found = new TreeMap<>();
    NavigableMap<Long, Map<String, RuleCounts>> byStart = steps.getOrDefault(step, new TreeMap<>());
    byStart
        .tailMap(from, true)
        .forEach(
            (start, rules) -> {
              RuleCounts counts = rules.get(rule);
              if (counts != null) {
                found.put(start, counts);
              }
            });
    return found;
  }

  @Override
  public boolean isPersistent() {
    return false;
  }
}
