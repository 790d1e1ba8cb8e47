package io.weir.rules.envoy;

import io.weir.testkit.RandomHistory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A random configuration with its text, and a model of how envoyproxy/ratelimit applies it: written
 * from its documentation, independently of the importer. Unlike there, a refused call charges
 * nothing.
 */
final class EnvoyModel {
  private static final List<String> ENTRY_KEYS = List.of("a", "b", "generic_key", "domain");
  private static final List<String> ENTRY_VALUES =
      List.of("x", "xy", "x/y", "z", "foo", "foo/", "foo/bar", "fo", "X", "x*", "x*y", "!x");
  private static final List<String> CONFIGURED_VALUES =
      List.of("", "", "x", "xy", "x/y", "z", "foo", "foo/bar", "x*", "xy*", "*", "foo/*", "x/*");
  private static final List<String> UNITS =
      List.of("second", "MINUTE", "hour", "Day", "week", "month", "year");
  private static final List<Long> SECONDS =
      List.of(1L, 60L, 3600L, 86_400L, 7 * 86_400L, 30 * 86_400L, 365 * 86_400L);
  private static final int MAX_PERMITS = 6;

  private final RandomHistory history;
  private final ModelDescriptor root;
  private final Map<String, Long> used = new HashMap<>();

  /** A descriptor of the configuration. */
  private static final class ModelDescriptor {
    String key = "";
    String value = "";
    int unit = -1;
    long permits;
    boolean unlimited;
    boolean shadow;
    boolean sharedCounter;
    final List<ModelDescriptor> children = new ArrayList<>();

    boolean isLimit() {
      return unit >= 0 || unlimited;
    }
  }

  /** The configured descriptor that applies, and the name of its counter. */
  private record CounterMatch(ModelDescriptor matched, String counter) {}

  EnvoyModel(RandomHistory history) {
    this.history = history;
    root = new ModelDescriptor();
    addRandomChildren(root, 1);
  }

  private void addRandomChildren(ModelDescriptor node, int depth) {
    int count = depth == 1 ? 1 + history.below(6) : history.below(4);
    Map<String, ModelDescriptor> once = new HashMap<>();
    for (int i = 0; i < count; i++) {
      ModelDescriptor one = new ModelDescriptor();
      one.key = history.pick(ENTRY_KEYS);
      one.value = history.pick(CONFIGURED_VALUES);
      if (once.put(one.key + " " + one.value, one) != null) {
        continue;
      }
      if (history.below(3) > 0) {
        one.unlimited = history.oneIn(6);
        one.unit = one.unlimited ? -1 : history.below(UNITS.size());
        one.permits = history.below(MAX_PERMITS);
      }
      one.shadow = history.oneIn(6);
      one.sharedCounter = one.value.endsWith("*") && history.oneIn(3);
      node.children.add(one);
      if (depth < 3) {
        addRandomChildren(one, depth + 1);
      }
    }
  }

  /** Returns the configuration as YAML. */
  String configurationText() {
    StringBuilder out = new StringBuilder("domain: edge\n");
    write(root, "", out);
    return out.toString();
  }

  /** Returns the same configuration as two files of one domain. */
  List<String> splitTexts() {
    int cut = history.below(root.children.size() + 1);
    ModelDescriptor first = new ModelDescriptor();
    first.children.addAll(root.children.subList(0, cut));
    ModelDescriptor second = new ModelDescriptor();
    second.children.addAll(root.children.subList(cut, root.children.size()));
    List<String> texts = new ArrayList<>();
    for (ModelDescriptor part : List.of(first, second)) {
      StringBuilder out = new StringBuilder("domain: edge\n");
      write(part, "", out);
      texts.add(out.toString());
    }
    return texts;
  }

  private void write(ModelDescriptor node, String indent, StringBuilder out) {
    out.append(indent).append("descriptors:").append(node.children.isEmpty() ? " []\n" : "\n");
    for (ModelDescriptor one : node.children) {
      String deeper = indent + "    ";
      out.append(indent).append("  - key: ").append(one.key).append('\n');
      if (!one.value.isEmpty()) {
        out.append(deeper).append("value: '").append(one.value).append("'\n");
      }
      if (one.unlimited) {
        out.append(deeper).append("rate_limit: {unlimited: true}\n");
      } else if (one.isLimit()) {
        out.append(deeper).append("rate_limit:\n").append(deeper).append("  unit: ");
        out.append(UNITS.get(one.unit)).append('\n').append(deeper).append("  requests_per_unit: ");
        out.append(one.permits).append('\n');
      }
      if (one.shadow) {
        out.append(deeper).append("shadow_mode: true\n");
      }
      if (one.sharedCounter) {
        out.append(deeper).append("share_threshold: true\n");
      }
      write(one, deeper, out);
    }
  }

  /** Returns a random descriptor: alternating keys and values. */
  List<String> randomDescriptor() {
    List<String> pairs = new ArrayList<>();
    ModelDescriptor at = root;
    for (int depth = 1 + history.below(3); depth > 0; depth--) {
      boolean unknown = at.children.isEmpty() || history.oneIn(6);
      at = unknown ? new ModelDescriptor() : history.pick(at.children);
      pairs.add(unknown ? history.pick(ENTRY_KEYS) : at.key);
      boolean configured = !at.value.isEmpty() && history.below(3) > 0;
      pairs.add(configured ? at.value.replace("*", "") : history.pick(ENTRY_VALUES));
    }
    return pairs;
  }

  /** Returns which descriptors of a call are admitted; all are charged if all are admitted. */
  List<Boolean> decide(List<List<String>> descriptors, long hits, long now) {
    List<Boolean> results = new ArrayList<>();
    List<@Nullable CounterMatch> found = new ArrayList<>();
    Map<String, Long> asked = new HashMap<>();
    boolean admitted = true;
    for (List<String> descriptor : descriptors) {
      CounterMatch one = find(descriptor, now);
      found.add(one);
      boolean fits = true;
      if (one != null) {
        long sum = asked.merge(one.counter, hits, Long::sum);
        fits = used.getOrDefault(one.counter, 0L) + sum <= one.matched.permits;
      }
      results.add(fits || (one != null && one.matched.shadow));
      admitted &= results.get(results.size() - 1);
    }
    for (CounterMatch one : found) {
      long before = one == null ? 0 : used.getOrDefault(one.counter, 0L);
      if (admitted && one != null && before + hits <= one.matched.permits) {
        used.put(one.counter, before + hits);
      }
    }
    return results;
  }

  private @Nullable CounterMatch find(List<String> descriptor, long now) {
    ModelDescriptor at = root;
    StringBuilder counter = new StringBuilder();
    for (int i = 0; i < descriptor.size(); i += 2) {
      String value = descriptor.get(i + 1);
      ModelDescriptor next = next(at, descriptor.get(i), value);
      if (next == null) {
        return null;
      }
      counter.append(descriptor.get(i)).append('\n');
      counter.append(next.sharedCounter ? next.value + " together" : value).append('\n');
      at = next;
    }
    if (!at.isLimit() || at.unlimited) {
      return null;
    }
    return new CounterMatch(at, counter.append(now / 1_000_000 / SECONDS.get(at.unit)).toString());
  }

  private static @Nullable ModelDescriptor next(ModelDescriptor at, String key, String value) {
    ModelDescriptor exact = null;
    ModelDescriptor bare = null;
    ModelDescriptor wild = null;
    for (ModelDescriptor one : at.children) {
      if (!one.key.equals(key)) {
        continue;
      }
      String pattern = one.value;
      if (pattern.isEmpty()) {
        bare = one;
      } else if (!pattern.endsWith("*")) {
        exact = pattern.equals(value) ? one : exact;
      } else if (wild == null && value.startsWith(pattern.substring(0, pattern.length() - 1))) {
        wild = one;
      }
    }
    return exact != null ? exact : wild != null ? wild : bare;
  }
}
