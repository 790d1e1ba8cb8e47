package io.weir.http;

import org.jspecify.annotations.Nullable;

/** Parses and formats IP addresses. Strict: ambiguous notations are rejected. */
final class IpAddressFormat {
  private static final int GROUP_COUNT = 8;
  private static final int MAX_LENGTH = 45;
  private static final int NONE = -1;

  private IpAddressFormat() {}

  /** Parses the characters of a range; null if they are not an address. */
  static @Nullable IpAddress parse(String text, int from, int to) {
    if (to - from > MAX_LENGTH || from >= to) {
      return null;
    }
    for (int i = from; i < to; i++) {
      if (text.charAt(i) == ':') {
        return v6(text, from, to);
      }
    }
    long bits = v4(text, from, to);
    return bits < 0 ? null : IpAddress.v4((int) bits);
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
  private static @Nullable IpAddress v6(String text, int from, int to) {
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
    while (end < to && Ascii.hexValue(text.charAt(end)) >= 0) {
      end++;
    }
    return end;
  }

  private static IpAddress fromGroups(int[] groups, int count, int gap) {
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
    return new IpAddress(high, low);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static String format(IpAddress address) {
    return address.isV4() ? v4((int) address.low()) : v6(address);
  }

  private static String v4(int bits) {
    StringBuilder out = new StringBuilder(15);
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.append((bits >>> shift) & 0xff).append(shift == 0 ? "" : ".");
    }
    return out.toString();
  }

  private static String v6(IpAddress address) {
    int gap = NONE;
    int longest = 1; // a single zero group is not shortened
    for (int i = 0; i < GROUP_COUNT; i++) {
      int end = i;
      while (end < GROUP_COUNT && address.group(end) == 0) {
        end++;
      }
      if (end - i > longest) {
        gap = i;
        longest = end - i;
      }
      i = Math.max(i, end - 1);
    }
    StringBuilder out = new StringBuilder(39);
    for (int i = 0; i < GROUP_COUNT; i++) {
      if (i == gap) {
        out.append("::");
        i += longest - 1;
      } else {
        boolean first = out.length() == 0 || out.charAt(out.length() - 1) == ':';
        out.append(first ? "" : ":").append(Integer.toHexString(address.group(i)));
      }
    }
    return out.toString();
  }
}
