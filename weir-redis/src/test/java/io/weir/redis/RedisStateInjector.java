package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.redis.RedisProcess;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Puts into the only shelf, on which there must be one counter, what is not its state. */
final class RedisStateInjector {
  static final String SHARD_KEY = "weir:{0}";

  /** The first byte of every kind of state; of a small one the largest. */
  static final int KIND_SMALL = 31;

  static final int KIND_SMALL_PREVIOUS = 128;
  static final int KIND_WIDE = 129;
  static final int KIND_WIDE_PREVIOUS = 130;
  static final int KIND_LOG = 193;

  static final int[] ALL_KINDS = {
    KIND_SMALL, KIND_SMALL_PREVIOUS, KIND_WIDE, KIND_WIDE_PREVIOUS, KIND_LOG
  };

  private RedisStateInjector() {}

  /** Puts the value into the field of the counter. */
  static void injectValue(RedisProcess redis, byte[] value) {
    assertThat(overwrite(redis, "'" + luaLiteral(value) + "'")).isTrue();
  }

  /**
   * A state in good order, under its own key: all numbers as large as can be, or one entry. False
   * if there is no counter.
   *
   * @param prefix how much of the key stands before it on its page, none if it has no page
   */
  static boolean injectState(RedisProcess redis, int kind, int prefix) {
    byte[] numbers = new byte[40];
    Arrays.fill(numbers, (byte) 0xFF);
    if (kind == KIND_LOG) { // one entry, of one permit, just now, to be forgotten in ten seconds
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

  /** As state.lua says. */
  private static int stateSize(int kind) {
    return switch (kind) {
      case KIND_SMALL -> 14;
      case KIND_SMALL_PREVIOUS -> 19;
      case KIND_WIDE -> 22;
      case KIND_WIDE_PREVIOUS -> 29;
      case KIND_LOG -> 29;
      default -> throw new IllegalArgumentException("no kind of state: " + kind);
    };
  }

  private static boolean overwrite(RedisProcess redis, String value) {
    String script =
        "local n = 0 for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do if #field < 65 then"
            + " local old = redis.call('HGET', KEYS[1], field)"
            + " redis.call('HSET', KEYS[1], field, "
            + value
            + ") n = n + 1 end end return n";
    Object replaced = redis.command("EVAL", script, "1", SHARD_KEY);
    assertThat(replaced).isIn(0L, 1L);
    return Long.valueOf(1).equals(replaced);
  }

  private static String luaLiteral(byte[] bytes) {
    return IntStream.range(0, bytes.length)
        .mapToObj(i -> String.format("\\%03d", bytes[i] & 0xFF))
        .collect(Collectors.joining());
  }
}
