package io.weir.http;

import org.jspecify.annotations.Nullable;

/** The field in which an operator's proxies say for whom they call; one, for they may not agree. */
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

  /** The name of the field. */
  public String fieldName() {
    return fieldName;
  }

  /** Whom one element of the field names; null if it does not name an address. */
  abstract @Nullable IpAddress parseAddress(String line, int from, int to);
}
