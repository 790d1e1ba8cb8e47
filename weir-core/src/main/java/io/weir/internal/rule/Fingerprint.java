package io.weir.internal.rule;

import io.weir.rule.Attributes;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hashes callers to 64-bit numbers that cannot be predicted or made to collide without the seed.
 *
 * <p>SipHash-1-3 over the UTF-16 code units of each value. Each value is prefixed with its length,
 * so that different tuples are different inputs whatever characters they contain. Immutable.
 */
public final class Fingerprint {
  /** Uses a public seed; for names chosen by operators, not by callers. */
  static final Fingerprint PUBLIC = new Fingerprint(0x7765_6972_2d6e_616dL, 0x6573_2d6f_6e6c_7921L);

  /** Precedes an address; no value begins like this, since its length is not negative. */
  private static final long MISSING = -1;

  private final long seed0;
  private final long seed1;

  public Fingerprint(long seed0, long seed1) {
    this.seed0 = seed0;
    this.seed1 = seed1;
  }

  /** Creates a fingerprint function with a new random seed. */
  public static Fingerprint random() {
    SecureRandom random = new SecureRandom();
    return new Fingerprint(random.nextLong(), random.nextLong());
  }

  /** Returns the first half of the seed, for a store to keep; it must stay secret. */
  public long seed0() {
    return seed0;
  }

  /** Returns the second half of the seed. */
  public long seed1() {
    return seed1;
  }

  /** Hashes the values of the attributes {@code names}, all of which the request must have. */
  long of(Attributes request, List<String> names) {
    return of(request, names, null);
  }

  /**
   * Hashes the values of attributes, and the address in place of each that the request lacks. An
   * address in place of an attribute differs from an attribute with that value.
   */
  long of(Attributes request, List<String> names, @Nullable String address) {
    SipHash sip = new SipHash(seed0, seed1);
    for (int i = 0; i < names.size(); i++) {
      String value = request.get(names.get(i));
      if (value != null) {
        sip.add(value);
      } else if (address != null) {
        sip.add(MISSING);
        sip.add(address);
      } else {
        throw new IllegalArgumentException("the request has no attribute " + names.get(i));
      }
    }
    return sip.finish();
  }

  /** Hashes one value. */
  public long of(String value) {
    SipHash sip = new SipHash(seed0, seed1);
    sip.add(value);
    return sip.finish();
  }

  /** Mixes the bits of a number; a bijection in which every bit affects all others. */
  static long mix(long h) {
    h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
    h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
    return h ^ h >>> 33;
  }

  /** The running state of one hash. */
  private static final class SipHash {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    SipHash(long k0, long k1) {
      v0 = k0 ^ 0x736f6d6570736575L;
      v1 = k1 ^ 0x646f72616e646f6dL;
      v2 = k0 ^ 0x6c7967656e657261L;
      v3 = k1 ^ 0x7465646279746573L;
    }

    /** Adds the length and two characters, then four characters at a time. */
    void add(String value) {
      int length = value.length();
      long word = length;
      if (length > 0) {
        word |= (long) value.charAt(0) << 32;
      }
      if (length > 1) {
        word |= (long) value.charAt(1) << 48;
      }
      add(word);
      int i = 2;
      for (; i + 4 <= length; i += 4) {
        add(
            value.charAt(i)
                | (long) value.charAt(i + 1) << 16
                | (long) value.charAt(i + 2) << 32
                | (long) value.charAt(i + 3) << 48);
      }
      if (i < length) {
        word = 0;
        for (int shift = 0; i < length; i++, shift += 16) {
          word |= (long) value.charAt(i) << shift;
        }
        add(word);
      }
    }

    private void add(long word) {
      v3 ^= word;
      round();
      v0 ^= word;
    }

    long finish() {
      v2 ^= 0xff;
      round();
      round();
      round();
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}
