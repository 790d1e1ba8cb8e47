package io.weir.http;

import org.jspecify.annotations.Nullable;

/** The field in which an operator's proxies say for whom they call; one, for they may not agree. */
public enum ForwardedBy {
  /** {@code X-Forwarded-For: caller, proxy, proxy}. */
  X_FORWARDED_FOR("X-Forwarded-For") {
    @Override
    @Nullable IpAddress address(String line, int from, int to) {
      return Node.plain(line, from, to);
    }
  },
  /** {@code Forwarded: for=caller;proto=https, for=proxy} (RFC 7239). */
  FORWARDED("Forwarded") {
    @Override
    @Nullable IpAddress address(String line, int from, int to) {
      return Node.ofPairs(line, from, to);
    }
  };

  private final String field;

  ForwardedBy(String field) {
    this.field = field;
  }

  /** The name of the field. */
  public String field() {
    return field;
  }

  /** Whom one element of the field names; null if it does not name an address. */
  abstract @Nullable IpAddress address(String line, int from, int to);
}
