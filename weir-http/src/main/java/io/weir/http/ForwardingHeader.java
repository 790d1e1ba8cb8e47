package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * The header in which trusted proxies pass on the address of their caller. Only one is configured,
 * because the two could contradict each other.
 */
public enum ForwardingHeader {
  /** {@code X-Forwarded-For: caller, proxy, proxy}. */
  X_FORWARDED_FOR("X-Forwarded-For") {
    @Override
    @Nullable IpAddress parseAddress(String line, int from, int to) {
      return ForwardedNodeParser.parseXForwardedFor(line, from, to);
    }
  },
  /** {@code Forwarded: for=caller;proto=https, for=proxy} (RFC 7239). */
  FORWARDED("Forwarded") {
    @Override
    @Nullable IpAddress parseAddress(String line, int from, int to) {
      return ForwardedNodeParser.parseForwarded(line, from, to);
    }
  };

  private final String fieldName;

  ForwardingHeader(String field) {
    this.fieldName = field;
  }

  /** Returns the name of the header field. */
  public String fieldName() {
    return fieldName;
  }

  /** Returns the address in one element of the field; null if the element is not an address. */
  abstract @Nullable IpAddress parseAddress(String line, int from, int to);
}
