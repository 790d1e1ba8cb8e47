package io.weir.internal.glob;

import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address as 128 bits, and the strict parser of its text. An IPv4-mapped IPv6
 * address ({@code ::ffff:1.2.3.4}) is the IPv4 address.
 *
 * @param high the upper half; zero for IPv4
 * @param low the lower half; for IPv4 the address, below {@code ffff}
 */
public record IpBits(long high, long low) {
  /** The length of an address. */
  public static final int BITS = 128;

  private static final int V4_BITS = 32;
  private static final long V4_MAPPED_PREFIX = 0xffffL;
  private static final int GROUP_COUNT = 8;
  private static final int MAX_LENGTH = 45;
  private static final int NONE = -1;

  /**
   * A network.
   *
   * @param bits an address of the network
   * @param length the length of its prefix, of 128 also for IPv4
   */
  public record Network(IpBits bits, int length) {}

  /**
   * Parses an address or a network such as {@code 10.0.0.0/8}, which need not be written with its
   * first address; null if it is neither.
   */
  public static @Nullable Network parseNetwork(String text) {
    int slash = text.indexOf('/');
    IpBits bits = parse(text, 0, slash < 0 ? text.length() : slash);
    if (bits == null || slash < 0) {
      return bits == null ? null : new Network(bits, BITS);
    }
    int length = 0;
    int digits = text.length() - slash - 1;
    for (int i = slash + 1; i < text.length(); i++) {
      if (!isDigit(text.charAt(i)) || digits > 3) {
        return null;
      }
      length = length * 10 + text.charAt(i) - '0';
    }
    int all = bits.isV4() ? V4_BITS : BITS;
    return digits == 0 || length > all ? null : new Network(bits, BITS - all + length);
  }

  private boolean isV4() {
    return high == 0 && low >>> V4_BITS == V4_MAPPED_PREFIX;
  }

  /** Returns the address with zeros after the first {@code bits} of 128. */
  public IpBits masked(int bits) {
    return bits == BITS ? this : new IpBits(high & mask(bits), low & mask(bits - Long.SIZE));
  }

  /** Returns a number whose first {@code bits} are ones. */
  public static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
  }

  /** Parses the characters of a range; null if they are not an address. */
  public static @Nullable IpBits parse(String text, int from, int to) {
    if (to - from > MAX_LENGTH || from >= to) {
      return null;
    }
    for (int i = from; i < to; i++) {
      if (text.charAt(i) == ':') {
        return v6(text, from, to);
      }
    }
    long bits = v4(text, from, to);
    return bits < 0 ? null : new IpBits(0, V4_MAPPED_PREFIX << V4_BITS | bits);
  }

  /** Parses four decimal numbers without leading zeros; negative if invalid. */
  private static long v4(String text, int from, int to) {
    long bits = 0;
    int at = from;
    for (int part = 0; part < 4; part++) {
      if (part > 0 && (at >= to || text.charAt(at++) != '.')) {
        return NONE;
      }
      int number = 0;
      int start = at;
      while (at < to && isDigit(text.charAt(at)) && at - start < 3) {
        number = number * 10 + text.charAt(at++) - '0';
      }
      boolean leadingZero = at - start > 1 && text.charAt(start) == '0';
      if (at == start || number > 255 || leadingZero) {
        return NONE;
      }
      bits = (bits << 8) | number;
    }
    return at == to ? bits : NONE;
  }

  /**
   * Parses groups of hexadecimal digits, at most one {@code ::}, and an optional IPv4 address at
   * the end.
   */
  private static @Nullable IpBits v6(String text, int from, int to) {
    int[] groups = new int[GROUP_COUNT];
    int count = 0;
    int gap = NONE;
    int at = from;
    if (to - from > 1 && text.startsWith("::", from)) {
      gap = 0;
      at += 2;
    }
    while (at < to) {
      int end = groupEnd(text, at, to);
      if (end < to && text.charAt(end) == '.') {
        long tail = count <= GROUP_COUNT - 2 ? v4(text, at, to) : NONE;
        if (tail < 0) {
          return null;
        }
        groups[count++] = (int) (tail >>> 16);
        groups[count++] = (int) tail & 0xffff;
        break;
      }
      if (end == at || end - at > 4 || count == GROUP_COUNT) {
        return null;
      }
      groups[count++] = Integer.parseInt(text, at, end, 16);
      if (end == to) {
        break;
      }
      if (text.charAt(end) != ':' || end + 1 == to) {
        return null;
      }
      at = end + 1;
      if (text.charAt(at) == ':') {
        if (gap != NONE) {
          return null;
        }
        gap = count;
        at++;
      }
    }
    boolean whole = gap == NONE ? count == GROUP_COUNT : count < GROUP_COUNT;
    return whole ? fromGroups(groups, count, gap) : null;
  }

  private static int groupEnd(String text, int from, int to) {
    int end = from;
    while (end < to && isHexDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static IpBits fromGroups(int[] groups, int count, int gap) {
    long high = 0;
    long low = 0;
    int zeros = GROUP_COUNT - count;
    for (int i = 0; i < GROUP_COUNT; i++) {
      boolean inGap = gap != NONE && i >= gap && i < gap + zeros;
      int group = inGap ? 0 : groups[gap == NONE || i < gap ? i : i - zeros];
      if (i < GROUP_COUNT / 2) {
        high = (high << 16) | group;
      } else {
        low = (low << 16) | group;
      }
    }
    return new IpBits(high, low);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHexDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
}
