package io.weir.server.gateway;

import io.vertx.core.buffer.Buffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Follows one direction of a WebSocket from frame to frame (RFC 6455, 5.2), so far as to know where
 * each begins. What is in them is nobody's business here, be it compressed or not.
 */
final class Frames {
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int OPCODE = 0x0f;
  private static final int CLOSE = 0x88;
  private static final int MASKED = 0x80;
  private static final int MASK_BYTES = 4;

  private int read;
  private int header;
  private long payload;
  private boolean masked;
  private boolean broken;

  /** Whether the next byte is the first of a frame. */
  boolean atStart() {
    return read == 0;
  }

  /** Whether there was a frame that cannot be. */
  boolean isBroken() {
    return broken;
  }

  /** Whether a frame that begins with this byte begins a message. */
  static boolean beginsMessage(byte first) {
    int opcode = first & OPCODE;
    return opcode == TEXT || opcode == BINARY;
  }

  /** Whether a frame that begins with this byte ends the WebSocket. */
  static boolean isClose(byte first) {
    return (first & OPCODE) == (CLOSE & OPCODE);
  }

  /**
   * Goes on to the end of the frame.
   *
   * @return the index of the byte after it, or the length of the data if the frame goes on
   */
  int advance(Buffer data, int from) {
    int at = from;
    while (at < data.length() && (read < 2 || read < header)) {
      head(data.getByte(at++) & 0xff);
    }
    if (read < 2 || read < header) {
      return at;
    }
    int step = (int) Math.min(payload, data.length() - at);
    payload -= step;
    if (payload == 0) {
      read = 0;
    }
    return at + step;
  }

  private void head(int next) {
    if (read == 1) {
      int length = next & 0x7f;
      int extended = length == 126 ? 2 : length == 127 ? 8 : 0;
      payload = extended == 0 ? length : 0;
      masked = next >= MASKED;
      header = 2 + extended + (masked ? MASK_BYTES : 0);
    } else if (read > 1 && read < header - (masked ? MASK_BYTES : 0)) {
      payload = payload << 8 | next;
      broken |= payload < 0;
    }
    read++;
  }

  /**
   * A frame that ends a WebSocket.
   *
   * @param reason short, of ASCII
   * @param masked as callers send it
   */
  static Buffer close(int code, String reason, boolean masked) {
    Buffer body = Buffer.buffer().appendUnsignedShort(code).appendString(reason);
    Buffer frame = Buffer.buffer().appendUnsignedByte((short) CLOSE);
    if (!masked) {
      return frame.appendUnsignedByte((short) body.length()).appendBuffer(body);
    }
    byte[] mask = new byte[MASK_BYTES];
    ThreadLocalRandom.current().nextBytes(mask);
    frame.appendUnsignedByte((short) (MASKED | body.length())).appendBytes(mask);
    for (int i = 0; i < body.length(); i++) {
      frame.appendByte((byte) (body.getByte(i) ^ mask[i % MASK_BYTES]));
    }
    return frame;
  }
}
