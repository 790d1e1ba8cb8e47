package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.redis.RedisProcess;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Replaces the state of the only counter of the only shard by other bytes. */
final class RedisStateInjector {
  static final String SHARD_KEY = "weir:{0}";

  /** The first byte of a small state, at most. */
  static final int KIND_SMALL = 31;

  static final int KIND_SMALL_PREVIOUS = 128;
  static final int KIND_WIDE = 129;
  static final int KIND_WIDE_PREVIOUS = 130;
  static final int KIND_LOG = 193;

  static final int[] ALL_KINDS = {
    KIND_SMALL, KIND_SMALL_PREVIOUS, KIND_WIDE, KIND_WIDE_PREVIOUS, KIND_LOG
  };

  private RedisStateInjector() {}

  /** Sets the field of the counter to a value. */
  static void injectValue(RedisProcess redis, byte[] value) {
    assertThat(overwrite(redis, "'" + luaLiteral(value) + "'")).isTrue();
  }

  /**
   * Sets a well-formed state of a kind under the counter's key: all numbers as large as possible,
   * or a log with one entry. Returns false if there is no counter.
   *
   * @param prefix the size of the key suffix before it in its packed bucket; 0 without buckets
   */
  static boolean injectState(RedisProcess redis, int kind, int prefix) {
    byte[] numbers = new byte[40];
    Arrays.fill(numbers, (byte) 0xFF);
    if (kind == KIND_LOG) { // one entry of one permit, charged now, which expires in ten seconds
      long time = Clock.wall().micros() - 1_000_000;
      numbers =
          new ByteWriter()
              .putNumber(time, 7)
              .putNumber(11, 7)
              .putNumber(1, 3)
              .putNumber(1, 2)
              .putNumber(time, 7)
              .putNumber(1, 2)
              .toByteArray();
    }
    return overwrite(
        redis,
        (prefix == 0 ? "" : "'\\002' .. string.sub(old, 2, " + (prefix + 1) + ") .. ")
            + "'"
            + luaLiteral(new byte[] {(byte) kind})
            + "'"
            + " .. string.sub('"
            + luaLiteral(numbers)
            + "', 1, "
            + (stateSize(kind) - 1)
            + ")");
  }

  /** Returns the size of a state as defined in state.lua. */
  private static int stateSize(int kind) {
    return switch (kind) {
      case KIND_SMALL -> 14;
      case KIND_SMALL_PREVIOUS -> 19;
      case KIND_WIDE -> 22;
      case KIND_WIDE_PREVIOUS -> 29;
      case KIND_LOG -> 29;
      default -> throw new IllegalArgumentException("unknown kind of state: " + kind);
    };
  }

  private static boolean overwrite(RedisProcess redis, String value) {
    String script =
        "local n = 0 for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do if #field < 65 then"
            + " local old = redis.call('HGET', KEYS[1], field)"
            + " redis.call('HSET', KEYS[1], field, "
            + value
            + ") n = n + 1 end end return n";
    Object replacedCount = redis.command("EVAL", script, "1", SHARD_KEY);
    assertThat(replacedCount).isIn(0L, 1L);
    return Long.valueOf(1).equals(replacedCount);
  }

  private static String luaLiteral(byte[] bytes) {
    return IntStream.range(0, bytes.length)
        .mapToObj(i -> String.format("\\%03d", bytes[i] & 0xFF))
        .collect(Collectors.joining());
  }
}
