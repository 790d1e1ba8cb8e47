package io.weir.internal.glob;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prefix tree that matches one value against many glob patterns at once, at a cost that does not
 * grow with the number of patterns.
 *
 * <p>Patterns and values are split at {@code /}. In a pattern, {@code *} matches any characters
 * within a segment and {@code **} matches any number of whole segments, including none, so that a
 * pattern that ends with it also matches the value without them. Patterns with a common beginning
 * share nodes: literal segments are looked up by hash, segments with wildcards by their literal
 * prefix. Each pattern has a number; a search returns the numbers of the matching patterns in
 * ascending order.
 *
 * <p>Immutable once filled. A search allocates only if several patterns match.
 */
public final class GlobTree implements PatternIndex {
  /** Nothing found. */
  public static final int[] NONE = {};

  private final GlobNode root = new GlobNode("");

  /**
   * Checks that a pattern is valid.
   *
   * @throws IllegalArgumentException if it is not; the message says what to write instead
   */
  public static void check(String pattern) {
    if (pattern.isBlank()) {
      throw new IllegalArgumentException("is blank; write a value, or * for any");
    }
    String[] segments = pattern.split("/", -1);
    int inner = 0;
    for (int i = 0; i < segments.length; i++) {
      boolean anySegments = segments[i].equals("**");
      if (!anySegments && segments[i].contains("**")) {
        throw new IllegalArgumentException(
            "'" + pattern + "': ** stands for whole segments; write /** or a single *");
      }
      inner += anySegments && i < segments.length - 1 ? 1 : 0;
    }
    if (inner > 1) {
      throw new IllegalArgumentException(
          "'" + pattern + "' has several ** before its last segment; write at most one");
    }
  }

  /** Adds a pattern with its numbers, which must be ascending. */
  @Override
  public void add(String pattern, int... numbers) {
    GlobNode node = root;
    String[] segments = pattern.split("/", -1);
    for (int i = 0; i < segments.length - 1; i++) {
      node = node.getOrCreateChild(segments[i]);
    }
    String last = segments[segments.length - 1];
    if (last.equals("**")) {
      node.anySuffixPatternNumbers = merge(node.anySuffixPatternNumbers, numbers);
    } else {
      GlobNode end = node.getOrCreateChild(last);
      end.patternNumbers = merge(end.patternNumbers, numbers);
    }
  }

  /** Returns the numbers of the matching patterns, ascending. The array must not be modified. */
  @Override
  public int[] find(String value) {
    return find(root, value, 0, NONE);
  }

  /** Matches the segments from {@code from} on; beyond the end of the value there are none. */
  private static int[] find(GlobNode node, String value, int from, int[] found) {
    found = merge(found, node.anySuffixPatternNumbers);
    if (node.anySegments != null) {
      for (int at = from; at <= value.length(); at = segmentEnd(value, at) + 1) {
        found = findInSegment(node.anySegments, value, at, found);
      }
    }
    return from > value.length()
        ? merge(found, node.patternNumbers)
        : findInSegment(node, value, from, found);
  }

  /** Matches one segment, literally and with wildcards. */
  private static int[] findInSegment(GlobNode node, String value, int from, int[] found) {
    if (node.isLeaf()) {
      return found;
    }
    int hash = 0;
    int to = from;
    for (; to < value.length() && value.charAt(to) != '/'; to++) {
      hash = SubstringTable.hash(hash, value.charAt(to));
    }
    GlobNode next = node.literals.find(value, from, to, hash);
    if (next != null) {
      found = find(next, value, to + 1, found);
    }
    for (int length : node.prefixLengths) {
      WildcardPrefix prefix =
          length <= to - from ? node.wildcards.find(value, from, from + length) : null;
      if (prefix != null) {
        for (GlobNode star : prefix.nodes) {
          if (star.matches(value, from, to)) {
            found = find(star, value, to + 1, found);
          }
        }
      }
    }
    return found;
  }

  private static int segmentEnd(String value, int from) {
    int slash = value.indexOf('/', from);
    return slash < 0 ? value.length() : slash;
  }

  /** Returns the union of two ascending arrays; one of the arrays itself if the other is empty. */
  public static int[] merge(int[] a, int[] b) {
    if (a.length == 0 || b.length == 0 || a == b) {
      return a.length == 0 ? b : a;
    }
    int[] both = new int[a.length + b.length];
    int n = 0;
    for (int i = 0, j = 0; i < a.length || j < b.length; ) {
      int next = j == b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++];
      if (n == 0 || both[n - 1] != next) {
        both[n++] = next;
      }
    }
    return n == both.length ? both : Arrays.copyOf(both, n);
  }

  /** A node of the tree, reached by one segment of a pattern. */
  private static final class GlobNode extends SubstringTable.SubstringKey {
    SubstringTable<GlobNode> literals = SubstringTable.empty();
    SubstringTable<WildcardPrefix> wildcards = SubstringTable.empty();
    int[] prefixLengths = NONE;
    int[] patternNumbers = NONE;
    int[] anySuffixPatternNumbers = NONE;
    @Nullable GlobNode anySegments;

    GlobNode(String segment) {
      super(segment);
    }

    boolean isLeaf() {
      return literals.isEmpty() && prefixLengths.length == 0;
    }

    /** Returns the child for a segment, creating it if necessary. */
    GlobNode getOrCreateChild(String segment) {
      if (segment.equals("**")) {
        anySegments = anySegments == null ? new GlobNode(segment) : anySegments;
        return anySegments;
      }
      int star = segment.indexOf('*');
      return star < 0 ? literalChild(segment) : wildcardChild(segment, segment.substring(0, star));
    }

    private GlobNode literalChild(String segment) {
      GlobNode node = literals.find(segment, 0, segment.length());
      if (node == null) {
        node = new GlobNode(segment);
        literals = literals.with(node);
      }
      return node;
    }

    private GlobNode wildcardChild(String segment, String prefixText) {
      WildcardPrefix prefix = wildcards.find(prefixText, 0, prefixText.length());
      if (prefix == null) {
        prefix = new WildcardPrefix(prefixText);
        wildcards = wildcards.with(prefix);
        prefixLengths = merge(prefixLengths, new int[] {prefixText.length()});
      }
      for (GlobNode node : prefix.nodes) {
        if (node.text.equals(segment)) {
          return node;
        }
      }
      GlobNode node = new GlobNode(segment);
      prefix.nodes.add(node);
      return node;
    }

    /**
     * Returns whether this wildcard segment matches the substring, by backtracking to the last
     * star.
     */
    boolean matches(String value, int from, int to) {
      int at = from;
      int patternAt = 0;
      int star = -1;
      int retry = from;
      while (at < to) {
        if (patternAt < text.length() && text.charAt(patternAt) == '*') {
          star = patternAt++;
          retry = at;
        } else if (patternAt < text.length() && text.charAt(patternAt) == value.charAt(at)) {
          patternAt++;
          at++;
        } else if (star >= 0) {
          patternAt = star + 1;
          at = ++retry;
        } else {
          return false;
        }
      }
      while (patternAt < text.length() && text.charAt(patternAt) == '*') {
        patternAt++;
      }
      return patternAt == text.length();
    }
  }

  /** A literal prefix of segments with wildcards, and the nodes of these segments. */
  private static final class WildcardPrefix extends SubstringTable.SubstringKey {
    final List<GlobNode> nodes = new ArrayList<>();

    WildcardPrefix(String prefixText) {
      super(prefixText);
    }
  }
}
