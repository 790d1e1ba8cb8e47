package io.weir.redis;

import io.weir.algorithm.State;

/**
 * Reads what the script answers: little-endian numbers, and states as {@code state.lua} packs them.
 */
final class Packed {
  private static final int NONE = 0;
  private static final int LOG = 192;
  private static final int PLAIN = 128;
  private static final int SECOND = 1_000_000;

  private final byte[] bytes;
  private int at;

  Packed(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The next number of that many bytes. */
  long number(int size) {
    long value = 0;
    for (int i = 0; i < size; i++) {
      value |= (bytes[at + i] & 0xFFL) << (8 * i);
    }
    at += size;
    return value;
  }

  /** What has not been read yet, as text. */
  String rest() {
    String text =
        new String(bytes, at, bytes.length - at, java.nio.charset.StandardCharsets.US_ASCII);
    at = bytes.length;
    return text;
  }

  boolean isAtEnd() {
    return at == bytes.length;
  }

  /** The next state; false if the counter had none. */
  boolean state(State s) {
    s.clear();
    int kind = (int) number(1);
    if (kind == NONE) {
      return false;
    }
    long second = number(4);
    if (kind == LOG) {
      s.time = second * SECOND - number(7);
      log(s);
      return true;
    }
    if (kind < PLAIN || kind >= PLAIN + 16) {
      throw new IllegalStateException("a state of kind " + kind);
    }
    s.time = second * SECOND - number((kind & 1) != 0 ? 7 : 5);
    s.used = number((kind & 2) != 0 ? 7 : 4);
    if ((kind & 4) != 0) {
      s.before = number((kind & 8) != 0 ? 7 : 4);
    }
    return true;
  }

  private void log(State s) {
    int count = (int) number(2);
    s.reserve(2 * count);
    for (int i = 0; i < count; i++) {
      s.entries[s.size++] = s.time - number(7);
      long cost = number(3);
      s.entries[s.size++] = cost;
      s.used += cost;
    }
  }
}
