package io.weir.server.traffic;

import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * History of one node's life, where rules live in a file. Bounded by the steps there are and the
 * rules that are told apart in each. Safe for any number of threads.
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
  public synchronized void add(long second, Collection<RuleCounts> said) {
    steps.forEach(
        (step, kept) -> {
          Map<String, RuleCounts> rules =
              kept.computeIfAbsent(step.startOf(second), began -> new HashMap<>());
          said.forEach(one -> TopRules.add(rules, one));
          kept.headMap(step.oldestKept(second)).clear();
        });
  }

  @Override
  public synchronized NavigableMap<Long, RuleCounts> of(
      String rule, TrafficResolution step, long from) {
    NavigableMap<Long, RuleCounts> shown = new TreeMap<>();
    NavigableMap<Long, Map<String, RuleCounts>> kept = steps.getOrDefault(step, new TreeMap<>());
    kept.tailMap(from, true)
        .forEach(
            (began, rules) -> {
              RuleCounts said = rules.get(rule);
              if (said != null) {
                shown.put(began, said);
              }
            });
    return shown;
  }

  @Override
  public boolean isPersistent() {
    return false;
  }
}
