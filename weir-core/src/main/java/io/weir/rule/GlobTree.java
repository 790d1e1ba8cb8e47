package io.weir.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Many patterns held against one value at once, at a cost that does not grow with their number.
 *
 * <p>Patterns and values are cut at {@code /}. In a pattern {@code *} stands for any run of
 * characters within a segment and {@code **} for any number of whole segments, none included, so
 * that {@code GET /orders/**} meets {@code GET /orders} too. Patterns that begin alike share the
 * way: a value is followed through literal segments by hash, through segments with a star by their
 * literal beginning. Each pattern carries a number; what is found is the ascending numbers.
 *
 * <p>Immutable once filled; a search allocates only where several ways lead to a find.
 */
final class GlobTree {
  static final int[] NONE = {};

  private final GlobNode root = new GlobNode("");

  /**
   * Refuses a pattern that has no meaning.
   *
   * @throws IllegalArgumentException saying what to write instead
   */
  static void check(String pattern) {
    if (pattern.isBlank()) {
      throw new IllegalArgumentException("is blank; write a value, or * for any");
    }
    String[] segments = pattern.split("/", -1);
    int inner = 0;
    for (int i = 0; i < segments.length; i++) {
      boolean rest = segments[i].equals("**");
      if (!rest && segments[i].contains("**")) {
        throw new IllegalArgumentException(
            "'" + pattern + "': ** stands for whole segments; write /** or a single *");
      }
      inner += rest && i < segments.length - 1 ? 1 : 0;
    }
    if (inner > 1) {
      throw new IllegalArgumentException(
          "'" + pattern + "' has several ** before its last segment; write at most one");
    }
  }

  /** Adds a pattern, whose numbers must be ascending. */
  void add(String pattern, int... numbers) {
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

  /** The numbers of the patterns that meet the value, ascending. Not to be written to. */
  int[] find(String value) {
    return find(root, value, 0, NONE);
  }

  boolean matches(String value) {
    return find(value).length > 0;
  }

  /** Follows the segments that begin at {@code from}; past the end of the value, none are left. */
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

  /** Follows one segment, literally and through stars. */
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

  /** The union of two ascending lists; one of them itself where the other adds nothing. */
  static int[] merge(int[] a, int[] b) {
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

  /** A place in the tree, reached by a segment of a pattern. */
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

    /** The place a segment leads to from here, which begins to be if it was not. */
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

    private GlobNode wildcardChild(String segment, String beginning) {
      WildcardPrefix prefix = wildcards.find(beginning, 0, beginning.length());
      if (prefix == null) {
        prefix = new WildcardPrefix(beginning);
        wildcards = wildcards.with(prefix);
        prefixLengths = merge(prefixLengths, new int[] {beginning.length()});
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

    /** Whether a segment with stars meets the region; the last star is retried. */
    boolean matches(String value, int from, int to) {
      int at = from;
      int mine = 0;
      int star = -1;
      int retry = from;
      while (at < to) {
        if (mine < text.length() && text.charAt(mine) == '*') {
          star = mine++;
          retry = at;
        } else if (mine < text.length() && text.charAt(mine) == value.charAt(at)) {
          mine++;
          at++;
        } else if (star >= 0) {
          mine = star + 1;
          at = ++retry;
        } else {
          return false;
        }
      }
      while (mine < text.length() && text.charAt(mine) == '*') {
        mine++;
      }
      return mine == text.length();
    }
  }

  /** The literal beginning of segments with stars, and the places they lead to. */
  private static final class WildcardPrefix extends SubstringTable.SubstringKey {
    final List<GlobNode> nodes = new ArrayList<>();

    WildcardPrefix(String beginning) {
      super(beginning);
    }
  }
}
