package io.weir.http;

import io.weir.internal.glob.IpBits;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address as 128 bits. An IPv4-mapped IPv6 address ({@code ::ffff:1.2.3.4}) is the
 * IPv4 address.
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
   * Returns the address of a socket.
   *
   * @param bytes 4 or 16 bytes, as {@code InetAddress.getAddress()} gives them
   */
  public static IpAddress of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return switch (bytes.length) {
      case 4 -> v4(buffer.getInt());
      case 16 -> new IpAddress(buffer.getLong(), buffer.getLong());
      default ->
          throw new IllegalArgumentException(
              "an IP address must have 4 or 16 bytes (was " + bytes.length + ")");
    };
  }

  static IpAddress v4(int bits) {
    return new IpAddress(0, (V4_MAPPED_PREFIX << V4_BITS) | Integer.toUnsignedLong(bits));
  }

  /**
   * Parses an address in the usual notation. Host names, shortened or octal IPv4 addresses and
   * zones are rejected; there is never a DNS lookup.
   *
   * @return null if the text is not an address
   */
  public static @Nullable IpAddress parse(String text) {
    return IpAddressFormat.parse(text, 0, text.length());
  }

  /**
   * Parses the address of a socket as frameworks report it, with or without a zone; 0.0.0.0 for
   * sockets that are not internet sockets.
   */
  public static IpAddress ofSocket(@Nullable String text) {
    int zone = text == null ? -1 : text.indexOf('%');
    IpAddress address = text == null ? null : parse(zone < 0 ? text : text.substring(0, zone));
    return address == null ? v4(0) : address;
  }

  public boolean isV4() {
    return high == 0 && low >>> V4_BITS == V4_MAPPED_PREFIX;
  }

  /** Returns the address with zeros after the first {@code bits} of 128. */
  IpAddress masked(int bits) {
    return new IpAddress(high & IpBits.mask(bits), low & IpBits.mask(bits - Long.SIZE));
  }

  /** Returns whether the first {@code bits} of 128 are the same. */
  boolean hasSamePrefix(IpAddress other, int bits) {
    return ((high ^ other.high) & IpBits.mask(bits)) == 0
        && ((low ^ other.low) & IpBits.mask(bits - Long.SIZE)) == 0;
  }

  /** Returns the 16 bits of one of the eight groups of an IPv6 address. */
  int group(int i) {
    long half = i < GROUP_COUNT / 2 ? high : low;
    return (int) (half >>> (48 - 16 * (i % (GROUP_COUNT / 2)))) & 0xffff;
  }

  /** Returns the canonical text: dotted decimal for IPv4, RFC 5952 for IPv6. */
  @Override
  public String toString() {
    return IpAddressFormat.format(this);
  }
}
