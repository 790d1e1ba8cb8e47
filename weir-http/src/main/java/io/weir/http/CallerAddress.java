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
public final class CallerAddress {
  /** The block of an IPv6 address that is one caller, as providers give them to a household. */
  public static final int USUAL_V6_BITS = 64;

  private static final int MOST_HOPS = 32;
  private static final int LONGEST_LINE = 8192;

  private final Network[] trusted;
  private final ForwardedBy by;
  private final int v6Bits;

  /**
   * @param trusted the proxies whose word is taken; none: no field is read
   * @param by the field they write
   * @param v6Bits how many leading bits of an IPv6 address make one caller, 16 to 128
   */
  public CallerAddress(List<Network> trusted, ForwardedBy by, int v6Bits) {
    if (v6Bits < 16 || v6Bits > IpAddress.BITS) {
      throw new IllegalArgumentException(
          "callers of " + v6Bits + " bits cannot be; write 16 to 128, such as 64");
    }
    this.trusted = trusted.toArray(new Network[0]);
    this.by = by;
    this.v6Bits = v6Bits;
  }

  /** The address of the caller whose request came from {@code peer}. */
  public IpAddress find(IpAddress peer, Headers headers) {
    if (!isTrusted(peer) || headers.get(by.field()) == null) {
      return peer;
    }
    IpAddress last = peer;
    int hops = 0;
    List<String> lines = headers.all(by.field());
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = lines.get(i);
      if (line.length() > LONGEST_LINE) {
        return last;
      }
      for (int end = line.length(); end >= 0; ) {
        int begin = Parts.lastBegin(line, end);
        int from = Parts.skipSpace(line, begin, end);
        int to = Parts.trimSpace(line, from, end);
        end = begin - 1;
        if (from == to) {
          continue; // empty elements mean nothing
        }
        IpAddress next = ++hops > MOST_HOPS ? null : by.address(line, from, to);
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
  public String key(IpAddress caller) {
    return caller.isV4() ? caller.toString() : Network.of(caller, v6Bits).toString();
  }

  boolean isTrusted(IpAddress address) {
    for (Network network : trusted) {
      if (network.contains(address)) {
        return true;
      }
    }
    return false;
  }
}
