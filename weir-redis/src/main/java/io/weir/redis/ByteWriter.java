package io.weir.redis;

import java.util.Arrays;

/** A growing buffer for the arguments of the script; numbers are big-endian. */
final class ByteWriter {
  private byte[] bytes = new byte[256];
  private int size;

  void clear() {
    size = 0;
  }

  /** Appends a number in {@code width} bytes. */
  ByteWriter putNumber(long value, int width) {
    ensureCapacity(width);
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
    return this;
  }

  ByteWriter putBytes(byte[] bytesToAdd) {
    ensureCapacity(bytesToAdd.length);
    System.arraycopy(bytesToAdd, 0, bytes, size, bytesToAdd.length);
    size += bytesToAdd.length;
    return this;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  private void ensureCapacity(int additionalBytes) {
    if (size + additionalBytes > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + additionalBytes));
    }
  }
}
