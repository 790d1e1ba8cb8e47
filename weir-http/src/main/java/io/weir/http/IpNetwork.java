package io.weir.http;

/**
 * An IP network, such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or a single address.
 *
 * @param address the first address of the network
 * @param bits the prefix length: at most 32 for IPv4, 128 for IPv6
 */
public record IpNetwork(IpAddress address, int bits) {

  public IpNetwork {
    if (bits < 0 || bits > maxPrefixLength(address)) {
      throw new IllegalArgumentException(
          "prefix length of %s must be between 0 and %d (was %d)"
              .formatted(address, maxPrefixLength(address), bits));
    }
    IpAddress first = address.masked(prefixOf128(address, bits));
    if (!first.equals(address)) {
      throw new IllegalArgumentException(
          "%s/%d is not the first address of its network; write %s/%d"
              .formatted(address, bits, first, bits));
    }
  }

  /**
   * Parses a network.
   *
   * @throws IllegalArgumentException if it is invalid, with a message that explains the format
   */
  public static IpNetwork parse(String text) {
    int slash = text.indexOf('/');
    IpAddress address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
    String length = slash < 0 ? "" : text.substring(slash + 1);
    if (address == null || (slash >= 0 && !length.matches("0|[1-9]\\d{0,2}"))) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an IP network, for example 10.0.0.0/8 or 2001:db8::/32");
    }
    return new IpNetwork(address, slash < 0 ? maxPrefixLength(address) : Integer.parseInt(length));
  }

  /** Returns the network with the given prefix length that contains an address. */
  static IpNetwork of(IpAddress address, int bits) {
    return new IpNetwork(address.masked(prefixOf128(address, bits)), bits);
  }

  boolean contains(IpAddress other) {
    return other.isV4() == address.isV4()
        && address.hasSamePrefix(other, prefixOf128(address, bits));
  }

  private static int maxPrefixLength(IpAddress address) {
    return address.isV4() ? IpAddress.V4_BITS : IpAddress.ADDRESS_BITS;
  }

  private static int prefixOf128(IpAddress address, int bits) {
    return bits + IpAddress.ADDRESS_BITS - maxPrefixLength(address);
  }

  @Override
  public String toString() {
    return bits == maxPrefixLength(address) ? address.toString() : address + "/" + bits;
  }
}
