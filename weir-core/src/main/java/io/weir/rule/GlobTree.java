package io.weir.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private final Node root = new Node();

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

  /** Adds a pattern; numbers must be added in ascending order. */
  void add(String pattern, int number) {
    Node node = root;
    for (String segment : pattern.split("/", -1)) {
      node = node.next(segment);
    }
    node.ends = merge(node.ends, new int[] {number});
  }

  /** The numbers of the patterns that meet the value, ascending. Not to be written to. */
  int[] find(String value) {
    return find(root, value, 0, NONE);
  }

  boolean meets(String value) {
    return find(value).length > 0;
  }

  /** Follows the segments that begin at {@code from}; past the end of the value, none are left. */
  private static int[] find(Node node, String value, int from, int[] found) {
    Node rest = node.rest;
    if (rest != null) {
      found = merge(found, rest.ends);
      if (rest.branches()) {
        for (int at = from; at <= value.length(); at = end(value, at) + 1) {
          found = step(rest, value, at, found);
        }
      }
    }
    return from > value.length() ? merge(found, node.ends) : step(node, value, from, found);
  }

  private static int[] step(Node node, String value, int from, int[] found) {
    int to = end(value, from);
    Node next = node.literals.find(value, from, to);
    if (next != null) {
      found = find(next, value, to + 1, found);
    }
    for (int length : node.prefixes) {
      List<Star> stars = length <= to - from ? node.stars.find(value, from, from + length) : null;
      if (stars != null) {
        for (Star star : stars) {
          if (star.meets(value, from, to)) {
            found = find(star.next, value, to + 1, found);
          }
        }
      }
    }
    return found;
  }

  private static int end(String value, int from) {
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

  private static final class Node {
    final Regions<Node> literals = new Regions<>();
    final Regions<List<Star>> stars = new Regions<>();
    final Map<String, Node> byPattern = new HashMap<>();
    int[] prefixes = NONE;
    @Nullable Node rest;
    int[] ends = NONE;

    boolean branches() {
      return !byPattern.isEmpty() || rest != null;
    }

    Node next(String segment) {
      if (segment.equals("**")) {
        rest = rest == null ? new Node() : rest;
        return rest;
      }
      return byPattern.computeIfAbsent(segment, this::grow);
    }

    private Node grow(String segment) {
      Node node = new Node();
      int star = segment.indexOf('*');
      if (star < 0) {
        literals.put(segment, node);
        return node;
      }
      String prefix = segment.substring(0, star);
      List<Star> siblings = stars.find(prefix, 0, star);
      if (siblings == null) {
        siblings = new ArrayList<>();
        stars.put(prefix, siblings);
        prefixes = merge(prefixes, new int[] {star});
      }
      siblings.add(new Star(segment, node));
      return node;
    }
  }

  /** A segment with stars in it, and where it leads. */
  private record Star(String segment, Node next) {

    /**
     * Whether the segment meets the region: the last star is retried, so time is linear in both.
     */
    boolean meets(String value, int from, int to) {
      int at = from;
      int mine = 0;
      int star = -1;
      int retry = from;
      while (at < to) {
        if (mine < segment.length() && segment.charAt(mine) == '*') {
          star = mine++;
          retry = at;
        } else if (mine < segment.length() && segment.charAt(mine) == value.charAt(at)) {
          mine++;
          at++;
        } else if (star >= 0) {
          mine = star + 1;
          at = ++retry;
        } else {
          return false;
        }
      }
      while (mine < segment.length() && segment.charAt(mine) == '*') {
        mine++;
      }
      return mine == segment.length();
    }
  }
}
