package io.weir.server.traffic;

import io.weir.rules.database.Said;
import io.weir.rules.database.Step;
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
final class MemoryHistory implements History {
  private final Map<Step, NavigableMap<Long, Map<String, Said>>> steps = new EnumMap<>(Step.class);

  MemoryHistory() {
    for (Step step : Step.values()) {
      steps.put(step, new TreeMap<>());
    }
  }

  @Override
  public synchronized void add(long second, Collection<Said> said) {
    steps.forEach(
        (step, kept) -> {
          Map<String, Said> rules =
              kept.computeIfAbsent(step.began(second), began -> new HashMap<>());
          said.forEach(one -> Busiest.add(rules, one));
          kept.headMap(step.oldest(second)).clear();
        });
  }

  @Override
  public synchronized NavigableMap<Long, Said> of(String rule, Step step, long from) {
    NavigableMap<Long, Said> shown = new TreeMap<>();
    NavigableMap<Long, Map<String, Said>> kept = steps.getOrDefault(step, new TreeMap<>());
    kept.tailMap(from, true)
        .forEach(
            (began, rules) -> {
              Said said = rules.get(rule);
              if (said != null) {
                shown.put(began, said);
              }
            });
    return shown;
  }

  @Override
  public boolean survives() {
    return false;
  }
}
