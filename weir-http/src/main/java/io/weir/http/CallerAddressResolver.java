package io.weir.http;

import java.util.List;

/**
 * Finds the address a request is counted by.
 *
 * <p>It is the address of the socket. Only where that is a trusted proxy, its forwarding field is
 * read, from right to left: each element was written by the one to its right, so it is believed as
 * long as that one is trusted, and the first that is not trusted is the caller. An element that is
 * no address ends the reading: the last one before it is the caller. So there always is one, and
 * nobody can choose it. Immutable.
 */
public final class CallerAddressResolver {
  /** The block of an IPv6 address that is one caller, as providers give them to a household. */
  public static final int DEFAULT_V6_BITS = 64;

  private static final int MAX_HOPS = 32;
  private static final int MAX_LINE_LENGTH = 8192;

  private final IpNetwork[] trustedProxies;
  private final ForwardingHeader forwardingHeader;
  private final int v6Bits;

  /**
   * @param trusted the proxies whose word is taken; none: no field is read
   * @param by the field they write
   * @param v6Bits how many leading bits of an IPv6 address make one caller, 16 to 128
   */
  public CallerAddressResolver(List<IpNetwork> trusted, ForwardingHeader by, int v6Bits) {
    if (v6Bits < 16 || v6Bits > IpAddress.ADDRESS_BITS) {
      throw new IllegalArgumentException(
          "callers of " + v6Bits + " bits cannot be; write 16 to 128, such as 64");
    }
    this.trustedProxies = trusted.toArray(new IpNetwork[0]);
    this.forwardingHeader = by;
    this.v6Bits = v6Bits;
  }

  /** The address of the caller whose request came from {@code peer}. */
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
          continue; // empty elements mean nothing
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

  /** The attribute {@code ip}: an IPv4 address, or the block of an IPv6 one. */
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
