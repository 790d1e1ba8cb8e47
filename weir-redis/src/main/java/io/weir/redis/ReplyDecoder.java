package io.weir.redis;

import io.weir.internal.algorithm.CounterState;

/** Decodes a reply of the script: numbers, and states in the format of {@code state.lua}. */
final class ReplyDecoder {
  /** A first byte below this belongs to a time, and its state is a small one. */
  private static final int MIN_KIND_BYTE = 32;

  private static final int KIND_SMALL_PREVIOUS = 128;
  private static final int KIND_WIDE = 129;
  private static final int KIND_WIDE_PREVIOUS = 130;
  private static final int KIND_LOG = 193;
  private static final int KIND_SLOTS = 194;
  private static final int KIND_NONE = 255;

  private final byte[] bytes;
  private int position;

  ReplyDecoder(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Reads the next number, of {@code size} bytes. */
  long readNumber(int size) {
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = (value << 8) | (bytes[position + i] & 0xFF);
    }
    position += size;
    return value;
  }

  /** Reads all remaining bytes as text. */
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

  /** Reads the next state; returns false if the counter had none. */
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
    long lifetime = readNumber(7);
    switch (kind) {
      case KIND_LOG -> readLog(s);
      case KIND_SLOTS -> readSlots(s);
      case KIND_WIDE -> s.used = readNumber(7);
      case KIND_WIDE_PREVIOUS -> {
        s.used = readNumber(7);
        s.previous = readNumber(7);
      }
      case KIND_SMALL_PREVIOUS -> {
        s.used = lifetime & 0xFFFF_FFFFL;
        s.previous = readNumber(4);
      }
      default -> {
        if (kind >= MIN_KIND_BYTE) {
          throw new IllegalStateException("unknown kind of state: " + kind);
        }
        s.used = lifetime & 0xFFFF_FFFFL;
      }
    }
    return true;
  }

  private void readSlots(CounterState s) {
    int count = (int) readNumber(2);
    s.ensureCapacity(4 * count);
    for (int i = 0; i < count; i++) {
      s.entries[s.entriesLength++] = readNumber(6);
      s.entries[s.entriesLength++] = readNumber(6);
      s.entries[s.entriesLength++] = readNumber(4);
      s.entries[s.entriesLength++] = readNumber(7);
    }
  }

  /** Sums the used permits over the entries, since the reply may omit entries that have expired. */
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
