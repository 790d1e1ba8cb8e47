package io.weir.internal.rule;

import io.weir.internal.glob.GlobTree;
import io.weir.internal.glob.PatternExclusions;
import io.weir.internal.glob.PatternIndex;
import io.weir.rule.Attributes;
import io.weir.rule.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the selectors that match a request among many, identified by their position in the list.
 *
 * <p>Each selector is indexed by one attribute, the one whose patterns the fewest other selectors
 * share, in a {@link PatternIndex} of that attribute. The other conditions are checked only for the
 * candidates found. Empty selectors are {@link #unconditional} candidates. Immutable.
 */
final class SelectorIndex {
  private final List<Selector> selectors;
  private final String[] anchorAttributes;
  private final boolean[] anchorIsSufficient;
  private final int[] unconditional;
  private final List<String> attributes = new ArrayList<>();
  private final List<PatternIndex> trees = new ArrayList<>();

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
                  PatternExclusions.inclusions(patterns)
                      .forEach(p -> postings(all, name, p).selectorCount++));
    }
    int[] emptySelectors = new int[selectors.size()];
    int n = 0;
    for (int i = 0; i < selectors.size(); i++) {
      Map<String, List<String>> patterns = selectors.get(i).patterns();
      anchorAttributes[i] = chooseAnchor(patterns, all);
      List<String> anchored = patterns.getOrDefault(anchorAttributes[i], List.of());
      anchorIsSufficient[i] = patterns.size() <= 1 && !PatternExclusions.isPresent(anchored);
      if (anchorAttributes[i].isEmpty()) {
        emptySelectors[n++] = i;
      } else {
        for (String pattern : PatternExclusions.inclusions(anchored)) {
          postings(all, anchorAttributes[i], pattern).add(i);
        }
      }
    }
    unconditional = Arrays.copyOf(emptySelectors, n);
    all.forEach(this::addTree);
  }

  /** Returns the empty selectors, which match every request. The array must not be modified. */
  int[] unconditional() {
    return unconditional;
  }

  /** Returns the selectors whose indexed condition holds; {@link #matches} checks the others. */
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

  /** Returns whether a candidate matches the request completely. */
  boolean matches(int candidate, Attributes request) {
    return anchorIsSufficient[candidate]
        || selectors.get(candidate).matches(request, anchorAttributes[candidate]);
  }

  /** Returns the first selector in the list that matches the request, or -1. */
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

  /** Builds the tree of an attribute if any selector is indexed by it. */
  private void addTree(String attribute, Map<String, PostingList> byPattern) {
    byPattern.values().removeIf(postings -> postings.size == 0);
    if (!byPattern.isEmpty()) {
      PatternIndex tree = PatternIndex.forAttribute(attribute);
      byPattern.forEach((pattern, postings) -> tree.add(pattern, postings.selectors()));
      attributes.add(attribute);
      trees.add(tree);
    }
  }

  /** Returns the attribute to index a selector by: the least shared one, or "" if it is empty. */
  private static String chooseAnchor(
      Map<String, List<String>> patterns, Map<String, Map<String, PostingList>> all) {
    String best = "";
    long least = Long.MAX_VALUE;
    for (Map.Entry<String, List<String>> e : patterns.entrySet()) {
      long shared = 0;
      for (String pattern : PatternExclusions.inclusions(e.getValue())) {
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

  /** The number of selectors that contain a pattern, and those that are indexed by it. */
  private static final class PostingList {
    private int selectorCount;
    private int[] selectors = {};
    private int size;

    void add(int number) {
      // a selector may contain a pattern twice
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
