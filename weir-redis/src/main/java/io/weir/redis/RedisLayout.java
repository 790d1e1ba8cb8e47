package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.internal.rule.Fingerprint;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The layout metadata that all nodes on one store must share: how callers are hashed to keys, and
 * where the counters are stored. The first node writes it into the store, the others read it from
 * there.
 *
 * @param seed0 the first half of the seed of fingerprints, which must stay secret
 * @param shards the number of hashes (shards) that hold the counters, a power of two
 * @param packedBuckets the number of packed buckets, a power of two; 0 if each counter has its own
 *     field
 */
record RedisLayout(long seed0, long seed1, int shards, int packedBuckets) {
  static final int MAX_SHARDS = 1 << 16;
  static final int MAX_PACKED_BUCKETS = 1 << 28;
  private static final int MIN_PACKED_BUCKETS = 1 << 10;
  private static final Pattern STORED_FORMAT =
      Pattern.compile("weir 1 ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9]{1,5}) ([0-9]{1,9})");

  static RedisLayout withRandomSeed(int shards, int pages) {
    SecureRandom random = new SecureRandom();
    return new RedisLayout(random.nextLong(), random.nextLong(), shards, pages);
  }

  byte[] encode() {
    return String.format("weir 1 %016x %016x %d %d", seed0, seed1, shards, packedBuckets)
        .getBytes(US_ASCII);
  }

  /** Decodes layout metadata from a store; null if the bytes were not written by Weir. */
  static @Nullable RedisLayout decode(byte[] bytes) {
    Matcher match = STORED_FORMAT.matcher(new String(bytes, US_ASCII));
    if (!match.matches()) {
      return null;
    }
    int shards = Integer.parseInt(match.group(3));
    int packedBuckets = Integer.parseInt(match.group(4));
    if (Integer.bitCount(shards) != 1
        || shards > MAX_SHARDS
        || packedBuckets != roundUpPackedBuckets(packedBuckets)) {
      return null;
    }
    return new RedisLayout(
        Long.parseUnsignedLong(match.group(1), 16),
        Long.parseUnsignedLong(match.group(2), 16),
        shards,
        packedBuckets);
  }

  /** Rounds a number of packed buckets up to the next one allowed; 0 stays 0. */
  static int roundUpPackedBuckets(int wanted) {
    int bounded = Math.max(MIN_PACKED_BUCKETS, Math.min(wanted, MAX_PACKED_BUCKETS));
    return wanted == 0 ? 0 : Integer.highestOneBit(2 * bounded - 1);
  }

  /** Returns how many leading bits of a key name its field. */
  private int fieldNameBits() {
    return packedBuckets == 0 ? Long.SIZE : Integer.numberOfTrailingZeros(packedBuckets);
  }

  /** Returns the size of a field name in bytes. */
  int fieldNameBytes() {
    return (fieldNameBits() + 7) / 8;
  }

  /** Returns the size in bytes of the key suffix inside a packed bucket. */
  int keySuffixBytes() {
    return (Long.SIZE - fieldNameBits() + 7) / 8;
  }

  /** Appends a key as the script reads it: the name of its field, then the suffix. */
  void writeKey(long key, ByteWriter writer) {
    int suffixBits = Long.SIZE - fieldNameBits();
    writer
        .putNumber(key >>> suffixBits, fieldNameBytes())
        .putNumber(key & ~(-1L << suffixBits), keySuffixBytes());
  }

  Fingerprint fingerprint() {
    return new Fingerprint(seed0, seed1);
  }

  /** Returns a key's shard, from the upper bits, which are the caller's: its counters share one. */
  int shardIndex(long key) {
    return (int) (key >>> 48) & (shards - 1);
  }
}
