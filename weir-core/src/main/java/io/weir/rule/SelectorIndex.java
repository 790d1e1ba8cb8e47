package io.weir.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds, among many selectors, those that meet a request, by their position in the list.
 *
 * <p>Each selector is entered under the one of its attributes whose patterns the fewest others
 * share, in a {@link GlobTree} of that attribute; the rest of its conditions are checked on the few
 * that are found. Selectors that name nothing are {@link #always} candidates. Immutable.
 */
final class SelectorIndex {
  private final List<Selector> selectors;
  private final String[] anchors;
  private final boolean[] anchorSuffices;
  private final int[] always;
  private final List<String> attributes = new ArrayList<>();
  private final List<GlobTree> trees = new ArrayList<>();

  SelectorIndex(List<Selector> selectors) {
    this.selectors = selectors;
    this.anchors = new String[selectors.size()];
    this.anchorSuffices = new boolean[selectors.size()];
    Map<String, Map<String, Sharers>> all = new LinkedHashMap<>();
    for (Selector selector : selectors) {
      selector
          .patterns()
          .forEach(
              (name, patterns) ->
                  Selector.wanted(patterns).forEach(p -> sharers(all, name, p).count++));
    }
    int[] unanchored = new int[selectors.size()];
    int n = 0;
    for (int i = 0; i < selectors.size(); i++) {
      Map<String, List<String>> patterns = selectors.get(i).patterns();
      anchors[i] = anchor(patterns, all);
      List<String> anchored = patterns.getOrDefault(anchors[i], List.of());
      anchorSuffices[i] = patterns.size() <= 1 && !Selector.hasExceptions(anchored);
      if (anchors[i].isEmpty()) {
        unanchored[n++] = i;
      } else {
        for (String pattern : Selector.wanted(anchored)) {
          sharers(all, anchors[i], pattern).add(i);
        }
      }
    }
    always = Arrays.copyOf(unanchored, n);
    all.forEach(this::grow);
  }

  /** The selectors that name nothing. Not to be written to. */
  int[] always() {
    return always;
  }

  /** The selectors whose indexed condition holds; {@link #meets} says if all do. */
  int[] candidates(Attributes request) {
    int[] found = GlobTree.NONE;
    for (int i = 0; i < attributes.size(); i++) {
      String value = request.get(attributes.get(i));
      if (value != null) {
        found = GlobTree.merge(found, trees.get(i).find(value));
      }
    }
    return found;
  }

  /** Whether a candidate meets the request in everything. */
  boolean meets(int candidate, Attributes request) {
    return anchorSuffices[candidate] || selectors.get(candidate).meets(request, anchors[candidate]);
  }

  /** The first selector in the list that meets the request, or -1. */
  int first(Attributes request) {
    for (int candidate : GlobTree.merge(always, candidates(request))) {
      if (meets(candidate, request)) {
        return candidate;
      }
    }
    return -1;
  }

  private static Sharers sharers(
      Map<String, Map<String, Sharers>> all, String attribute, String pattern) {
    return all.computeIfAbsent(attribute, a -> new LinkedHashMap<>())
        .computeIfAbsent(pattern, p -> new Sharers());
  }

  /** Makes the tree of an attribute, if any selector is found by it. */
  private void grow(String attribute, Map<String, Sharers> byPattern) {
    byPattern.values().removeIf(sharers -> sharers.size == 0);
    if (!byPattern.isEmpty()) {
      GlobTree tree = new GlobTree();
      byPattern.forEach((pattern, sharers) -> tree.add(pattern, sharers.found()));
      attributes.add(attribute);
      trees.add(tree);
    }
  }

  /** The attribute to find a selector by: the one least shared; none if it names none. */
  private static String anchor(
      Map<String, List<String>> patterns, Map<String, Map<String, Sharers>> all) {
    String best = "";
    long least = Long.MAX_VALUE;
    for (Map.Entry<String, List<String>> e : patterns.entrySet()) {
      long shared = 0;
      for (String pattern : Selector.wanted(e.getValue())) {
        boolean literal = pattern.chars().anyMatch(c -> c != '*' && c != '/' && c != ' ');
        shared += literal ? sharers(all, e.getKey(), pattern).count : Integer.MAX_VALUE;
      }
      if (shared < least) {
        least = shared;
        best = e.getKey();
      }
    }
    return best;
  }

  /** The selectors that name one pattern: how many, and which of them are found by it. */
  private static final class Sharers {
    private int count;
    private int[] found = {};
    private int size;

    void add(int number) {
      // a selector may name a pattern twice
      if (size > 0 && found[size - 1] == number) {
        return;
      }
      if (size == found.length) {
        found = Arrays.copyOf(found, Math.max(1, 2 * size));
      }
      found[size++] = number;
    }

    int[] found() {
      return Arrays.copyOf(found, size);
    }
  }
}
