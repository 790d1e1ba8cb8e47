package io.weir.rules.envoy;

import io.weir.testkit.History;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A random configuration, the text of it, and what envoyproxy/ratelimit finds in it: written anew
 * from what its documentation says, apart from the importer. Unlike there, a refusal charges
 * nothing.
 */
final class EnvoyModel {
  private static final List<String> KEYS = List.of("a", "b", "generic_key", "domain");
  private static final List<String> VALUES =
      List.of("x", "xy", "x/y", "z", "foo", "foo/", "foo/bar", "fo", "X", "x*", "x*y", "!x");
  private static final List<String> SAID =
      List.of("", "", "x", "xy", "x/y", "z", "foo", "foo/bar", "x*", "xy*", "*", "foo/*", "x/*");
  private static final List<String> UNITS =
      List.of("second", "MINUTE", "hour", "Day", "week", "month", "year");
  private static final List<Long> SECONDS =
      List.of(1L, 60L, 3600L, 86_400L, 7 * 86_400L, 30 * 86_400L, 365 * 86_400L);
  private static final int MOST_LIMIT = 6;

  private final History history;
  private final Node root;
  private final Map<String, Long> used = new HashMap<>();

  /** A descriptor of the configuration. */
  private static final class Node {
    String key = "";
    String value = "";
    int unit = -1;
    long permits;
    boolean unlimited;
    boolean shadow;
    boolean shared;
    final List<Node> inner = new ArrayList<>();

    boolean isLimit() {
      return unit >= 0 || unlimited;
    }
  }

  /** What was found for a descriptor, and the name of its counter. */
  private record Found(Node node, String counter) {}

  EnvoyModel(History history) {
    this.history = history;
    root = new Node();
    grow(root, 1);
  }

  private void grow(Node node, int depth) {
    int count = depth == 1 ? 1 + history.below(6) : history.below(4);
    Map<String, Node> once = new HashMap<>();
    for (int i = 0; i < count; i++) {
      Node one = new Node();
      one.key = history.oneOf(KEYS);
      one.value = history.oneOf(SAID);
      if (once.put(one.key + " " + one.value, one) != null) {
        continue;
      }
      if (history.below(3) > 0) {
        one.unlimited = history.oneIn(6);
        one.unit = one.unlimited ? -1 : history.below(UNITS.size());
        one.permits = history.below(MOST_LIMIT);
      }
      one.shadow = history.oneIn(6);
      one.shared = one.value.endsWith("*") && history.oneIn(3);
      node.inner.add(one);
      if (depth < 3) {
        grow(one, depth + 1);
      }
    }
  }

  /** The configuration as people write it. */
  String text() {
    StringBuilder out = new StringBuilder("domain: edge\n");
    write(root, "", out);
    return out.toString();
  }

  /** The same configuration in two files of one domain. */
  List<String> twoTexts() {
    int cut = history.below(root.inner.size() + 1);
    Node first = new Node();
    first.inner.addAll(root.inner.subList(0, cut));
    Node second = new Node();
    second.inner.addAll(root.inner.subList(cut, root.inner.size()));
    List<String> texts = new ArrayList<>();
    for (Node part : List.of(first, second)) {
      StringBuilder out = new StringBuilder("domain: edge\n");
      write(part, "", out);
      texts.add(out.toString());
    }
    return texts;
  }

  private void write(Node node, String indent, StringBuilder out) {
    out.append(indent).append("descriptors:").append(node.inner.isEmpty() ? " []\n" : "\n");
    for (Node one : node.inner) {
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
      if (one.shared) {
        out.append(deeper).append("share_threshold: true\n");
      }
      write(one, deeper, out);
    }
  }

  /** Some descriptor: keys and values in turn. */
  List<String> descriptor() {
    List<String> pairs = new ArrayList<>();
    Node at = root;
    for (int depth = 1 + history.below(3); depth > 0; depth--) {
      boolean astray = at.inner.isEmpty() || history.oneIn(6);
      at = astray ? new Node() : history.oneOf(at.inner);
      pairs.add(astray ? history.oneOf(KEYS) : at.key);
      boolean meant = !at.value.isEmpty() && history.below(3) > 0;
      pairs.add(meant ? at.value.replace("*", "") : history.oneOf(VALUES));
    }
    return pairs;
  }

  /** Which descriptors of a call have room; all are charged if all have. */
  List<Boolean> call(List<List<String>> descriptors, long hits, long now) {
    List<Boolean> fit = new ArrayList<>();
    List<@Nullable Found> found = new ArrayList<>();
    Map<String, Long> asked = new HashMap<>();
    boolean admitted = true;
    for (List<String> descriptor : descriptors) {
      Found one = find(descriptor, now);
      found.add(one);
      boolean fits = true;
      if (one != null) {
        long sum = asked.merge(one.counter, hits, Long::sum);
        fits = used.getOrDefault(one.counter, 0L) + sum <= one.node.permits;
      }
      fit.add(fits || (one != null && one.node.shadow));
      admitted &= fit.get(fit.size() - 1);
    }
    for (Found one : found) {
      long before = one == null ? 0 : used.getOrDefault(one.counter, 0L);
      if (admitted && one != null && before + hits <= one.node.permits) {
        used.put(one.counter, before + hits);
      }
    }
    return fit;
  }

  private @Nullable Found find(List<String> descriptor, long now) {
    Node at = root;
    StringBuilder counter = new StringBuilder();
    for (int i = 0; i < descriptor.size(); i += 2) {
      String value = descriptor.get(i + 1);
      Node next = next(at, descriptor.get(i), value);
      if (next == null) {
        return null;
      }
      counter.append(descriptor.get(i)).append('\n');
      counter.append(next.shared ? next.value + " together" : value).append('\n');
      at = next;
    }
    if (!at.isLimit() || at.unlimited) {
      return null;
    }
    return new Found(at, counter.append(now / 1_000_000 / SECONDS.get(at.unit)).toString());
  }

  private static @Nullable Node next(Node at, String key, String value) {
    Node exact = null;
    Node bare = null;
    Node wild = null;
    for (Node one : at.inner) {
      if (!one.key.equals(key)) {
        continue;
      }
      String said = one.value;
      if (said.isEmpty()) {
        bare = one;
      } else if (!said.endsWith("*")) {
        exact = said.equals(value) ? one : exact;
      } else if (wild == null && value.startsWith(said.substring(0, said.length() - 1))) {
        wild = one;
      }
    }
    return exact != null ? exact : wild != null ? wild : bare;
  }
}
