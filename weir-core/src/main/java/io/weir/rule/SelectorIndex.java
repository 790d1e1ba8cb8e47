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
 * that are found. Selectors that name nothing are {@link #unconditional} candidates. Immutable.
 */
final class SelectorIndex {
  private final List<Selector> selectors;
  private final String[] anchorAttributes;
  private final boolean[] anchorIsSufficient;
  private final int[] unconditional;
  private final List<String> attributes = new ArrayList<>();
  private final List<GlobTree> trees = new ArrayList<>();

  SelectorIndex(List<Selector> selectors) {
    this.selectors = selectors;
    this.anchorAttributes = new String[selectors.size()];
    this.anchorIsSufficient = new boolean[selectors.size()];
    Map<String, Map<String, PostingList>> all = new LinkedHashMap<>();
    for (Selector selector : selectors) {
      selector
          .patterns()
          .forEach(
              (name, patterns) ->
                  Selector.inclusions(patterns)
                      .forEach(p -> postings(all, name, p).selectorCount++));
    }
    int[] unanchored = new int[selectors.size()];
    int n = 0;
    for (int i = 0; i < selectors.size(); i++) {
      Map<String, List<String>> patterns = selectors.get(i).patterns();
      anchorAttributes[i] = chooseAnchor(patterns, all);
      List<String> anchored = patterns.getOrDefault(anchorAttributes[i], List.of());
      anchorIsSufficient[i] = patterns.size() <= 1 && !Selector.hasExclusions(anchored);
      if (anchorAttributes[i].isEmpty()) {
        unanchored[n++] = i;
      } else {
        for (String pattern : Selector.inclusions(anchored)) {
          postings(all, anchorAttributes[i], pattern).add(i);
        }
      }
    }
    unconditional = Arrays.copyOf(unanchored, n);
    all.forEach(this::addTree);
  }

  /** The selectors that name nothing. Not to be written to. */
  int[] unconditional() {
    return unconditional;
  }

  /** The selectors whose indexed condition holds; {@link #matches} says if all do. */
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
  boolean matches(int candidate, Attributes request) {
    return anchorIsSufficient[candidate]
        || selectors.get(candidate).matches(request, anchorAttributes[candidate]);
  }

  /** The first selector in the list that meets the request, or -1. */
  int first(Attributes request) {
    for (int candidate : GlobTree.merge(unconditional, candidates(request))) {
      if (matches(candidate, request)) {
        return candidate;
      }
    }
    return -1;
  }

  private static PostingList postings(
      Map<String, Map<String, PostingList>> all, String attribute, String pattern) {
    return all.computeIfAbsent(attribute, a -> new LinkedHashMap<>())
        .computeIfAbsent(pattern, p -> new PostingList());
  }

  /** Makes the tree of an attribute, if any selector is found by it. */
  private void addTree(String attribute, Map<String, PostingList> byPattern) {
    byPattern.values().removeIf(sharers -> sharers.size == 0);
    if (!byPattern.isEmpty()) {
      GlobTree tree = new GlobTree();
      byPattern.forEach((pattern, sharers) -> tree.add(pattern, sharers.selectors()));
      attributes.add(attribute);
      trees.add(tree);
    }
  }

  /** The attribute to find a selector by: the one least shared; none if it names none. */
  private static String chooseAnchor(
      Map<String, List<String>> patterns, Map<String, Map<String, PostingList>> all) {
    String best = "";
    long least = Long.MAX_VALUE;
    for (Map.Entry<String, List<String>> e : patterns.entrySet()) {
      long shared = 0;
      for (String pattern : Selector.inclusions(e.getValue())) {
        boolean literal = pattern.chars().anyMatch(c -> c != '*' && c != '/' && c != ' ');
        shared += literal ? postings(all, e.getKey(), pattern).selectorCount : Integer.MAX_VALUE;
      }
      if (shared < least) {
        least = shared;
        best = e.getKey();
      }
    }
    return best;
  }

  /** The selectors that name one pattern: how many, and which of them are found by it. */
  private static final class PostingList {
    private int selectorCount;
    private int[] selectors = {};
    private int size;

    void add(int number) {
      // a selector may name a pattern twice
      if (size > 0 && selectors[size - 1] == number) {
        return;
      }
      if (size == selectors.length) {
        selectors = Arrays.copyOf(selectors, Math.max(1, 2 * size));
      }
      selectors[size++] = number;
    }

    int[] selectors() {
      return Arrays.copyOf(selectors, size);
    }
  }
}
