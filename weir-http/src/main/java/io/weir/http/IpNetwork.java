package io.weir.http;

/**
 * A block of addresses, such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or a single address.
 *
 * @param address the first of them
 * @param bits how many leading bits they share: at most 32 for IPv4, 128 for IPv6
 */
public record IpNetwork(IpAddress address, int bits) {

  public IpNetwork {
    if (bits < 0 || bits > maxPrefixLength(address)) {
      throw new IllegalArgumentException(
          address
              + "/"
              + bits
              + " cannot be; write a length from 0 to "
              + maxPrefixLength(address));
    }
    IpAddress first = address.masked(prefixOf128(address, bits));
    if (!first.equals(address)) {
      throw new IllegalArgumentException(
          address + "/" + bits + " does not begin there; write " + first + "/" + bits);
    }
  }

  /**
   * Reads a block.
   *
   * @throws IllegalArgumentException saying what to write instead
   */
  public static IpNetwork parse(String text) {
    int slash = text.indexOf('/');
    IpAddress address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
    String length = slash < 0 ? "" : text.substring(slash + 1);
    if (address == null || (slash >= 0 && !length.matches("0|[1-9]\\d{0,2}"))) {
      throw new IllegalArgumentException(
          "'" + text + "' is no block of addresses; write one such as 10.0.0.0/8 or 2001:db8::/32");
    }
    return new IpNetwork(address, slash < 0 ? maxPrefixLength(address) : Integer.parseInt(length));
  }

  /** The block of that length an address is in. */
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
