package io.weir.internal.store;

/**
 * A duration in eleven bits: exact below 32 µs, above that rounded up by less than one part in 32.
 * It stores how long a state must be kept, in the bits that a 53-bit number leaves free in a word.
 */
final class PackedDuration {
  static final int BITS = 11;

  private PackedDuration() {}

  static int encode(long micros) {
    if (micros < 32) {
      return (int) Math.max(0, micros);
    }
    int shift = 58 - Long.numberOfLeadingZeros(micros);
    long mantissa = (micros + (1L << shift) - 1) >>> shift;
    return (int) (((shift + 1L) << 5) + mantissa - 32);
  }

  static long decode(int code) {
    return code < 32 ? code : (32L + (code & 31)) << ((code >>> 5) - 1);
  }
}
