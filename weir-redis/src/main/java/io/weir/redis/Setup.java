package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.rule.Fingerprint;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What all nodes on one store must agree on: how callers become keys, and where those are kept. The
 * first node writes it into the store, the others take it from there.
 *
 * @param seed0 the first half of the seed of fingerprints, which nobody outside may know
 * @param shelves over how many hashes the counters are spread, a power of two
 * @param cut how many bytes of a key name its page
 */
record Setup(long seed0, long seed1, int shelves, int cut) {
  private static final Pattern FORM =
      Pattern.compile("weir 1 ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9]{1,5}) ([2-8])");

  static Setup random(int shelves, int cut) {
    SecureRandom random = new SecureRandom();
    return new Setup(random.nextLong(), random.nextLong(), shelves, cut);
  }

  byte[] bytes() {
    return String.format("weir 1 %016x %016x %d %d", seed0, seed1, shelves, cut).getBytes(US_ASCII);
  }

  /** What a store holds; null if it is not a set-up of ours. */
  static @Nullable Setup of(byte[] bytes) {
    Matcher m = FORM.matcher(new String(bytes, US_ASCII));
    if (!m.matches()) {
      return null;
    }
    int shelves = Integer.parseInt(m.group(3));
    if (Integer.bitCount(shelves) != 1 || shelves > 1 << 16) {
      return null;
    }
    return new Setup(
        Long.parseUnsignedLong(m.group(1), 16),
        Long.parseUnsignedLong(m.group(2), 16),
        shelves,
        Integer.parseInt(m.group(4)));
  }

  Fingerprint fingerprint() {
    return new Fingerprint(seed0, seed1);
  }

  /** Which shelf a key is on: its upper bits are the caller's, so a caller's counters share one. */
  int shelf(long key) {
    return (int) (key >>> 48) & (shelves - 1);
  }
}
