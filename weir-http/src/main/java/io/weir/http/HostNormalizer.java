package io.weir.http;

import org.jspecify.annotations.Nullable;

/** Normalizes the host of a request: lower case, without port and trailing dot. */
final class HostNormalizer {
  private static final int MAX_HOST_LENGTH = 255;
  private static final int MAX_PORT_DIGITS = 5;

  private HostNormalizer() {}

  /**
   * Normalizes a {@code Host} header or an authority.
   *
   * @throws BadRequestException if it is invalid
   */
  static String normalize(String text) {
    int end = text.length();
    if (end > MAX_HOST_LENGTH || end == 0) {
      throw invalidHost();
    }
    if (text.charAt(0) == '[') {
      int close = text.indexOf(']');
      int colon = text.indexOf(':');
      IpAddress address = colon < 0 || colon > close ? null : IpAddressFormat.parse(text, 1, close);
      if (address == null || !isOptionalPort(text, close + 1)) {
        throw invalidHost();
      }
      return address.isV4() ? address.toString() : "[" + address + "]";
    }
    int colon = text.indexOf(':');
    if (colon >= 0 && !isOptionalPort(text, colon)) {
      throw invalidHost();
    }
    return normalizeName(text, colon < 0 ? end : colon);
  }

  private static String normalizeName(String text, int end) {
    int last = end > 1 && text.charAt(end - 1) == '.' ? end - 1 : end;
    boolean lowerCase = true;
    for (int i = 0; i < last; i++) {
      char c = text.charAt(i);
      boolean dot = c == '.' && i > 0 && text.charAt(i - 1) != '.';
      if (c > 0x7f || (!dot && c != '_' && c != '-' && !Character.isLetterOrDigit(c))) {
        throw invalidHost();
      }
      lowerCase &= c < 'A' || c > 'Z';
    }
    if (last == 0) {
      throw invalidHost();
    }
    String name = last == text.length() ? text : text.substring(0, last);
    return lowerCase ? name : Ascii.toLowerCase(name);
  }

  /** Returns whether the rest is empty, or a colon followed by at most 5 digits. */
  private static boolean isOptionalPort(String text, int from) {
    if (from < text.length() && text.charAt(from) != ':') {
      return false;
    }
    for (int i = from + 1; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return text.length() - from <= MAX_PORT_DIGITS + 1;
  }

  private static BadRequestException invalidHost() {
    return new BadRequestException("invalid host; expected a name or an IP address");
  }

  /**
   * Returns the host of a request: that of its target, or else that of its only {@code Host}
   * header; null if there is none.
   */
  static @Nullable String hostOf(RequestEndpoint endpoint, RequestHeaders headers) {
    String authority = endpoint.authority();
    String field = headers.get("Host");
    if (field != null && headers.all("Host").size() > 1) {
      throw new BadRequestException("more than one Host header; send exactly one");
    }
    String text = authority != null ? authority : field;
    return text == null || (text.isEmpty() && authority == null) ? null : normalize(text);
  }
}
