package io.weir.http;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An address, of IPv4 or IPv6, as 128 bits. An IPv4 address that comes as IPv6 ({@code
 * ::ffff:1.2.3.4}) is the IPv4 address.
 *
 * @param high the upper half; zero for IPv4
 * @param low the lower half; for IPv4 the address, below {@code ffff}
 */
public record IpAddress(long high, long low) {
  static final int ADDRESS_BITS = 128;
  static final int V4_BITS = 32;
  private static final long V4_MAPPED_PREFIX = 0xffffL;
  private static final int GROUP_COUNT = 8;

  /**
   * The address of a socket.
   *
   * @param bytes 4 or 16, as {@code InetAddress.getAddress()} gives them
   */
  public static IpAddress of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return switch (bytes.length) {
      case 4 -> v4(buffer.getInt());
      case 16 -> new IpAddress(buffer.getLong(), buffer.getLong());
      default ->
          throw new IllegalArgumentException(
              "an address of " + bytes.length + " bytes cannot be; write 4 or 16");
    };
  }

  static IpAddress v4(int bits) {
    return new IpAddress(0, (V4_MAPPED_PREFIX << V4_BITS) | Integer.toUnsignedLong(bits));
  }

  /**
   * Reads an address as it is commonly written. Names, shortened or octal IPv4 addresses and zones
   * are none; nothing is ever looked up.
   *
   * @return null if the text is no address
   */
  public static @Nullable IpAddress parse(String text) {
    return IpAddressFormat.parse(text, 0, text.length());
  }

  /**
   * The address of a socket as a framework writes it, with a zone or without; 0.0.0.0 for a socket
   * that is none of the internet.
   */
  public static IpAddress ofSocket(@Nullable String text) {
    int zone = text == null ? -1 : text.indexOf('%');
    IpAddress address = text == null ? null : parse(zone < 0 ? text : text.substring(0, zone));
    return address == null ? v4(0) : address;
  }

  public boolean isV4() {
    return high == 0 && low >>> V4_BITS == V4_MAPPED_PREFIX;
  }

  /** Of a network's addresses, the one with zeros after the first {@code bits}, counted of 128. */
  IpAddress masked(int bits) {
    return new IpAddress(high & mask(bits), low & mask(bits - Long.SIZE));
  }

  /** Whether the first {@code bits}, counted of 128, are the same. */
  boolean hasSamePrefix(IpAddress other, int bits) {
    return ((high ^ other.high) & mask(bits)) == 0
        && ((low ^ other.low) & mask(bits - Long.SIZE)) == 0;
  }

  private static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
  }

  /** The 16 bits of one of the eight groups of an IPv6 address. */
  int group(int i) {
    long half = i < GROUP_COUNT / 2 ? high : low;
    return (int) (half >>> (48 - 16 * (i % (GROUP_COUNT / 2)))) & 0xffff;
  }

  /** As everybody writes it: dotted for IPv4, RFC 5952 for IPv6. */
  @Override
  public String toString() {
    return IpAddressFormat.format(this);
  }
}
