package io.weir.redis;

import io.weir.algorithm.State;

/** Reads what the script answers: numbers, and states as {@code state.lua} packs them. */
final class Packed {
  /** What a first byte is below if it belongs to a time, and its state is a small one. */
  private static final int KINDS = 32;

  private static final int MORE = 128;
  private static final int WIDE = 129;
  private static final int WIDE_MORE = 130;
  private static final int LOG = 193;
  private static final int NONE = 255;

  private final byte[] bytes;
  private int at;

  Packed(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The next number of that many bytes. */
  long number(int size) {
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = (value << 8) | (bytes[at + i] & 0xFF);
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
    int kind = bytes[at] & 0xFF;
    if (kind >= KINDS) {
      at++;
    }
    if (kind == NONE) {
      return false;
    }
    s.time = number(7);
    long life = number(7);
    switch (kind) {
      case LOG -> log(s);
      case WIDE -> s.used = number(7);
      case WIDE_MORE -> {
        s.used = number(7);
        s.before = number(7);
      }
      case MORE -> {
        s.used = life & 0xFFFF_FFFFL;
        s.before = number(4);
      }
      default -> {
        if (kind >= KINDS) {
          throw new IllegalStateException("a state of kind " + kind);
        }
        s.used = life & 0xFFFF_FFFFL;
      }
    }
    return true;
  }

  /**
   * What is used is told again by the entries, of which those that have expired may be left out.
   */
  private void log(State s) {
    at += 3;
    int count = (int) number(2);
    s.reserve(2 * count);
    for (int i = 0; i < count; i++) {
      s.entries[s.size++] = number(7);
      long cost = number(2);
      s.entries[s.size++] = cost;
      s.used += cost;
    }
  }
}
