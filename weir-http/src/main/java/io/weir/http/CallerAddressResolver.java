package io.weir.http;

import java.util.List;

/**
 * Determines the address that a request is counted by.
 *
 * <p>This is the address of the socket. Only if the socket belongs to a trusted proxy is the
 * forwarding header read, from right to left: each element was written by the proxy to its right
 * and is accepted as long as that proxy is trusted. The first untrusted address is the caller. An
 * element that is not an address ends the reading; the address before it is the caller. There is
 * therefore always an address, and a caller cannot choose it. Immutable.
 */
public final class CallerAddressResolver {
  /**
   * The default prefix length that counts as one IPv6 caller: providers assign a /64 to each
   * household.
   */
  public static final int DEFAULT_V6_BITS = 64;

  private static final int MAX_HOPS = 32;
  private static final int MAX_LINE_LENGTH = 8192;

  private final IpNetwork[] trustedProxies;
  private final ForwardingHeader forwardingHeader;
  private final int v6Bits;

  /**
   * @param trustedProxies the proxies whose forwarding header is trusted; if empty, it is never
   *     read
   * @param forwardingHeader the header that they write
   * @param v6Bits the prefix length that identifies an IPv6 caller, 16 to 128
   */
  public CallerAddressResolver(
      List<IpNetwork> trustedProxies, ForwardingHeader forwardingHeader, int v6Bits) {
    if (v6Bits < 16 || v6Bits > IpAddress.ADDRESS_BITS) {
      throw new IllegalArgumentException(
          "IPv6 prefix length must be between 16 and 128 (was " + v6Bits + "), for example 64");
    }
    this.trustedProxies = trustedProxies.toArray(new IpNetwork[0]);
    this.forwardingHeader = forwardingHeader;
    this.v6Bits = v6Bits;
  }

  /** Returns the address of the caller whose request came from the socket address {@code peer}. */
  public IpAddress resolve(IpAddress peer, RequestHeaders headers) {
    if (!isTrusted(peer) || headers.get(forwardingHeader.fieldName()) == null) {
      return peer;
    }
    IpAddress last = peer;
    int hops = 0;
    List<String> lines = headers.all(forwardingHeader.fieldName());
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = lines.get(i);
      if (line.length() > MAX_LINE_LENGTH) {
        return last;
      }
      for (int end = line.length(); end >= 0; ) {
        int begin = HeaderValueScanner.startOfLastElement(line, end);
        int from = HeaderValueScanner.skipSpace(line, begin, end);
        int to = HeaderValueScanner.trimTrailingSpace(line, from, end);
        end = begin - 1;
        if (from == to) {
          continue; // empty elements are ignored
        }
        IpAddress next = ++hops > MAX_HOPS ? null : forwardingHeader.parseAddress(line, from, to);
        if (next == null) {
          return last;
        }
        last = next;
        if (!isTrusted(next)) {
          return next;
        }
      }
    }
    return last;
  }

  /** Returns the attribute {@code ip}: an IPv4 address, or the network of an IPv6 address. */
  public String toAttribute(IpAddress caller) {
    return caller.isV4() ? caller.toString() : IpNetwork.of(caller, v6Bits).toString();
  }

  boolean isTrusted(IpAddress address) {
    for (IpNetwork network : trustedProxies) {
      if (network.contains(address)) {
        return true;
      }
    }
    return false;
  }
}
