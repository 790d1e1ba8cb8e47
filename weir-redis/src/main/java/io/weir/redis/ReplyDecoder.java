package io.weir.redis;

import io.weir.algorithm.CounterState;

/** Reads what the script answers: numbers, and states as {@code state.lua} packs them. */
final class ReplyDecoder {
  /** What a first byte is below if it belongs to a time, and its state is a small one. */
  private static final int MIN_KIND_BYTE = 32;

  private static final int KIND_SMALL_PREVIOUS = 128;
  private static final int KIND_WIDE = 129;
  private static final int KIND_WIDE_PREVIOUS = 130;
  private static final int KIND_LOG = 193;
  private static final int KIND_NONE = 255;

  private final byte[] bytes;
  private int position;

  ReplyDecoder(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The next number of that many bytes. */
  long readNumber(int size) {
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = (value << 8) | (bytes[position + i] & 0xFF);
    }
    position += size;
    return value;
  }

  /** What has not been read yet, as text. */
  String readRemainingText() {
    String text =
        new String(
            bytes, position, bytes.length - position, java.nio.charset.StandardCharsets.US_ASCII);
    position = bytes.length;
    return text;
  }

  boolean isAtEnd() {
    return position == bytes.length;
  }

  /** The next state; false if the counter had none. */
  boolean readState(CounterState s) {
    s.clear();
    int kind = bytes[position] & 0xFF;
    if (kind >= MIN_KIND_BYTE) {
      position++;
    }
    if (kind == KIND_NONE) {
      return false;
    }
    s.time = readNumber(7);
    long life = readNumber(7);
    switch (kind) {
      case KIND_LOG -> readLog(s);
      case KIND_WIDE -> s.used = readNumber(7);
      case KIND_WIDE_PREVIOUS -> {
        s.used = readNumber(7);
        s.previous = readNumber(7);
      }
      case KIND_SMALL_PREVIOUS -> {
        s.used = life & 0xFFFF_FFFFL;
        s.previous = readNumber(4);
      }
      default -> {
        if (kind >= MIN_KIND_BYTE) {
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
  private void readLog(CounterState s) {
    position += 3;
    int count = (int) readNumber(2);
    s.ensureCapacity(2 * count);
    for (int i = 0; i < count; i++) {
      s.entries[s.entriesLength++] = readNumber(7);
      long cost = readNumber(2);
      s.entries[s.entriesLength++] = cost;
      s.used += cost;
    }
  }
}
