package io.weir.http;

import io.weir.internal.glob.IpBits;
import org.jspecify.annotations.Nullable;

/** Parses and formats IP addresses. */
final class IpAddressFormat {
  private static final int GROUP_COUNT = 8;
  private static final int NONE = -1;

  private IpAddressFormat() {}

  /** Parses the characters of a range; null if they are not an address. */
  static @Nullable IpAddress parse(String text, int from, int to) {
    IpBits bits = IpBits.parse(text, from, to);
    return bits == null ? null : new IpAddress(bits.high(), bits.low());
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
