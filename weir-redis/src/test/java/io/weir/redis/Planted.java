package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.redis.RedisProcess;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Puts into the only shelf, on which there must be one counter, what is not its state. */
final class Planted {
  static final String SHELF = "weir:{0}";

  /** The first byte of every kind of state; of a small one the largest. */
  static final int SMALL = 31;

  static final int MORE = 128;
  static final int WIDE = 129;
  static final int WIDE_MORE = 130;
  static final int LOG = 193;

  static final int[] KINDS = {SMALL, MORE, WIDE, WIDE_MORE, LOG};

  private Planted() {}

  /** Puts the value into the field of the counter. */
  static void value(RedisProcess redis, byte[] value) {
    assertThat(overwrite(redis, "'" + lua(value) + "'")).isTrue();
  }

  /**
   * A state in good order, under its own key: all numbers as large as can be, or one entry. False
   * if there is no counter.
   *
   * @param prefix how much of the key stands before it on its page, none if it has no page
   */
  static boolean state(RedisProcess redis, int kind, int prefix) {
    byte[] numbers = new byte[40];
    Arrays.fill(numbers, (byte) 0xFF);
    if (kind == LOG) { // one entry, of one permit, just now, to be forgotten in ten seconds
      long time = Clock.wall().micros() - 1_000_000;
      numbers =
          new Bytes()
              .number(time, 7)
              .number(11, 7)
              .number(1, 3)
              .number(1, 2)
              .number(time, 7)
              .number(1, 2)
              .copy();
    }
    return overwrite(
        redis,
        (prefix == 0 ? "" : "'\\002' .. string.sub(old, 2, " + (prefix + 1) + ") .. ")
            + "'"
            + lua(new byte[] {(byte) kind})
            + "'"
            + " .. string.sub('"
            + lua(numbers)
            + "', 1, "
            + (size(kind) - 1)
            + ")");
  }

  /** As state.lua says. */
  private static int size(int kind) {
    return switch (kind) {
      case SMALL -> 14;
      case MORE -> 19;
      case WIDE -> 22;
      case WIDE_MORE -> 29;
      case LOG -> 29;
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
    Object replaced = redis.command("EVAL", script, "1", SHELF);
    assertThat(replaced).isIn(0L, 1L);
    return Long.valueOf(1).equals(replaced);
  }

  private static String lua(byte[] bytes) {
    return IntStream.range(0, bytes.length)
        .mapToObj(i -> String.format("\\%03d", bytes[i] & 0xFF))
        .collect(Collectors.joining());
  }
}
