package io.weir.http;

import org.jspecify.annotations.Nullable;

/** Parses the address in one element of a forwarding header. */
final class ForwardedNodeParser {
  private static final int MAX_PORT_DIGITS = 5;

  private ForwardedNodeParser() {}

  /**
   * Parses an element of {@code X-Forwarded-For}: an address with an optional port; brackets around
   * IPv6 addresses are optional.
   */
  static @Nullable IpAddress parseXForwardedFor(String line, int from, int to) {
    IpAddress bare = IpAddressFormat.parse(line, from, to);
    return bare != null ? bare : parseWithPort(line, from, to);
  }

  /** Parses an element of {@code Forwarded}: the node of its only {@code for} pair. */
  static @Nullable IpAddress parseForwarded(String line, int from, int to) {
    IpAddress found = null;
    for (int at = from; at <= to; ) {
      int end = HeaderValueScanner.endOfPart(line, at, to, ';');
      int start = HeaderValueScanner.skipSpace(line, at, end);
      if (line.regionMatches(true, start, "for=", 0, "for=".length())) {
        IpAddress address =
            parseNode(
                line,
                start + "for=".length(),
                HeaderValueScanner.trimTrailingSpace(line, start, end));
        if (found != null || address == null) {
          return null;
        }
        found = address;
      }
      at = end + 1;
    }
    return found;
  }

  private static @Nullable IpAddress parseNode(String line, int from, int to) {
    if (from < to && line.charAt(from) == '"') {
      // an address needs no backslash, so one with a backslash is not accepted
      return to - from > 1 && line.charAt(to - 1) == '"'
          ? parseWithPort(line, from + 1, to - 1)
          : null;
    }
    return parseWithPort(line, from, to);
  }

  /** Parses an IPv4 address, or an IPv6 address in brackets, with an optional port. */
  private static @Nullable IpAddress parseWithPort(String line, int from, int to) {
    if (from >= to) {
      return null;
    }
    boolean brackets = line.charAt(from) == '[';
    int end = brackets ? line.indexOf(']', from) : line.indexOf(':', from);
    if (end < 0 || end >= to) {
      return brackets ? null : v4OrNull(IpAddressFormat.parse(line, from, to));
    }
    if (!brackets) {
      return isPort(line, end, to) ? v4OrNull(IpAddressFormat.parse(line, from, end)) : null;
    }
    boolean closed = end + 1 == to || isPort(line, end + 1, to);
    return closed && line.lastIndexOf(':', end) > from
        ? IpAddressFormat.parse(line, from + 1, end)
        : null;
  }

  private static @Nullable IpAddress v4OrNull(@Nullable IpAddress address) {
    return address != null && address.isV4() ? address : null;
  }

  /** Returns whether a range is a port or an obfuscated port ({@code :_x}, RFC 7239). */
  private static boolean isPort(String line, int from, int to) {
    if (line.charAt(from) != ':' || from + 1 == to) {
      return false;
    }
    boolean hidden = line.charAt(from + 1) == '_';
    for (int i = from + 1; i < to; i++) {
      char c = line.charAt(i);
      if (hidden ? !Ascii.isToken(c) : c < '0' || c > '9') {
        return false;
      }
    }
    return hidden || to - from - 1 <= MAX_PORT_DIGITS;
  }
}
