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
 * @param shards over how many hashes the counters are spread, a power of two
 * @param packedBuckets over how many pages they are spread, a power of two; 0 if each is a field of
 *     its own
 */
record RedisLayout(long seed0, long seed1, int shards, int packedBuckets) {
  static final int MAX_SHARDS = 1 << 16;
  static final int MAX_PACKED_BUCKETS = 1 << 28;
  private static final int MIN_PACKED_BUCKETS = 1 << 10;
  private static final Pattern STORED_FORMAT =
      Pattern.compile("weir 1 ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9]{1,5}) ([0-9]{1,9})");

  static RedisLayout withRandomSeed(int shelves, int pages) {
    SecureRandom random = new SecureRandom();
    return new RedisLayout(random.nextLong(), random.nextLong(), shelves, pages);
  }

  byte[] encode() {
    return String.format("weir 1 %016x %016x %d %d", seed0, seed1, shards, packedBuckets)
        .getBytes(US_ASCII);
  }

  /** What a store holds; null if it is not a set-up of ours. */
  static @Nullable RedisLayout decode(byte[] bytes) {
    Matcher m = STORED_FORMAT.matcher(new String(bytes, US_ASCII));
    if (!m.matches()) {
      return null;
    }
    int shelves = Integer.parseInt(m.group(3));
    int pages = Integer.parseInt(m.group(4));
    if (Integer.bitCount(shelves) != 1
        || shelves > MAX_SHARDS
        || pages != roundUpPackedBuckets(pages)) {
      return null;
    }
    return new RedisLayout(
        Long.parseUnsignedLong(m.group(1), 16),
        Long.parseUnsignedLong(m.group(2), 16),
        shelves,
        pages);
  }

  /** The number of pages there can be that is nearest to one, from above. */
  static int roundUpPackedBuckets(int wanted) {
    int most = Math.max(MIN_PACKED_BUCKETS, Math.min(wanted, MAX_PACKED_BUCKETS));
    return wanted == 0 ? 0 : Integer.highestOneBit(2 * most - 1);
  }

  /** How many bits of a key, from the left, name its field. */
  private int fieldNameBits() {
    return packedBuckets == 0 ? Long.SIZE : Integer.numberOfTrailingZeros(packedBuckets);
  }

  /** In how many bytes a key's field is named. */
  int fieldNameBytes() {
    return (fieldNameBits() + 7) / 8;
  }

  /** In how many bytes the rest of a key stands on its page. */
  int keySuffixBytes() {
    return (Long.SIZE - fieldNameBits() + 7) / 8;
  }

  /** Adds a key as the script reads it: the name of its field, and the rest. */
  void writeKey(long key, ByteWriter to) {
    int rest = Long.SIZE - fieldNameBits();
    to.putNumber(key >>> rest, fieldNameBytes()).putNumber(key & ~(-1L << rest), keySuffixBytes());
  }

  Fingerprint fingerprint() {
    return new Fingerprint(seed0, seed1);
  }

  /** Which shelf a key is on: its upper bits are the caller's, so a caller's counters share one. */
  int shardIndex(long key) {
    return (int) (key >>> 48) & (shards - 1);
  }
}
