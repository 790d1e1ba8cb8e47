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
 * @param pages over how many pages they are spread, a power of two; 0 if each is a field of its own
 */
record Setup(long seed0, long seed1, int shelves, int pages) {
  static final int MOST_SHELVES = 1 << 16;
  static final int MOST_PAGES = 1 << 28;
  private static final int FEWEST_PAGES = 1 << 10;
  private static final Pattern FORM =
      Pattern.compile("weir 1 ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9]{1,5}) ([0-9]{1,9})");

  static Setup random(int shelves, int pages) {
    SecureRandom random = new SecureRandom();
    return new Setup(random.nextLong(), random.nextLong(), shelves, pages);
  }

  byte[] bytes() {
    return String.format("weir 1 %016x %016x %d %d", seed0, seed1, shelves, pages)
        .getBytes(US_ASCII);
  }

  /** What a store holds; null if it is not a set-up of ours. */
  static @Nullable Setup of(byte[] bytes) {
    Matcher m = FORM.matcher(new String(bytes, US_ASCII));
    if (!m.matches()) {
      return null;
    }
    int shelves = Integer.parseInt(m.group(3));
    int pages = Integer.parseInt(m.group(4));
    if (Integer.bitCount(shelves) != 1 || shelves > MOST_SHELVES || pages != pages(pages)) {
      return null;
    }
    return new Setup(
        Long.parseUnsignedLong(m.group(1), 16),
        Long.parseUnsignedLong(m.group(2), 16),
        shelves,
        pages);
  }

  /** The number of pages there can be that is nearest to one, from above. */
  static int pages(int wanted) {
    int most = Math.max(FEWEST_PAGES, Math.min(wanted, MOST_PAGES));
    return wanted == 0 ? 0 : Integer.highestOneBit(2 * most - 1);
  }

  /** How many bits of a key, from the left, name its field. */
  private int named() {
    return pages == 0 ? Long.SIZE : Integer.numberOfTrailingZeros(pages);
  }

  /** In how many bytes a key's field is named. */
  int nameBytes() {
    return (named() + 7) / 8;
  }

  /** In how many bytes the rest of a key stands on its page. */
  int restBytes() {
    return (Long.SIZE - named() + 7) / 8;
  }

  /** Adds a key as the script reads it: the name of its field, and the rest. */
  void write(long key, Bytes to) {
    int rest = Long.SIZE - named();
    to.number(key >>> rest, nameBytes()).number(key & ~(-1L << rest), restBytes());
  }

  Fingerprint fingerprint() {
    return new Fingerprint(seed0, seed1);
  }

  /** Which shelf a key is on: its upper bits are the caller's, so a caller's counters share one. */
  int shelf(long key) {
    return (int) (key >>> 48) & (shelves - 1);
  }
}
