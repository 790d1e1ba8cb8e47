package io.weir.redis;

import java.util.Arrays;

/** A buffer that grows, for what the script reads: numbers, their highest byte first. */
final class ByteWriter {
  private byte[] bytes = new byte[256];
  private int size;

  void clear() {
    size = 0;
  }

  /** Adds a number in that many bytes. */
  ByteWriter putNumber(long value, int width) {
    ensureCapacity(width);
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
    return this;
  }

  ByteWriter putBytes(byte[] more) {
    ensureCapacity(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
    return this;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  private void ensureCapacity(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
