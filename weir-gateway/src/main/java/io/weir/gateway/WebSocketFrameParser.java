package io.weir.gateway;

import io.vertx.core.buffer.Buffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds the frame boundaries in one direction of a WebSocket (RFC 6455, 5.2). It reads the frame
 * headers only and ignores the payload, compressed or not. Not thread-safe.
 */
final class WebSocketFrameParser {
  private static final int TEXT_OPCODE = 1;
  private static final int BINARY_OPCODE = 2;
  private static final int OPCODE_MASK = 0x0f;
  private static final int CLOSE_FIRST_BYTE = 0x88;
  private static final int MASKED_BIT = 0x80;
  private static final int MASK_BYTES = 4;

  private int headerBytesRead;
  private int headerLength;
  private long payloadRemaining;
  private boolean masked;
  private boolean malformed;

  /** Whether the next byte is the first byte of a frame. */
  boolean isAtFrameStart() {
    return headerBytesRead == 0;
  }

  /** Whether a frame with an invalid length was read. */
  boolean isMalformed() {
    return malformed;
  }

  /** Whether a frame with this first byte starts a message. */
  static boolean startsMessage(byte first) {
    int opcode = first & OPCODE_MASK;
    return opcode == TEXT_OPCODE || opcode == BINARY_OPCODE;
  }

  /** Whether a frame with this first byte is a close frame. */
  static boolean isClose(byte first) {
    return (first & OPCODE_MASK) == (CLOSE_FIRST_BYTE & OPCODE_MASK);
  }

  /**
   * Advances to the end of the current frame.
   *
   * @return the index of the byte after the frame, or the length of the data if the frame continues
   */
  int advance(Buffer data, int from) {
    int at = from;
    while (at < data.length() && (headerBytesRead < 2 || headerBytesRead < headerLength)) {
      readHeaderByte(data.getByte(at++) & 0xff);
    }
    if (headerBytesRead < 2 || headerBytesRead < headerLength) {
      return at;
    }
    int step = (int) Math.min(payloadRemaining, data.length() - at);
    payloadRemaining -= step;
    if (payloadRemaining == 0) {
      headerBytesRead = 0;
    }
    return at + step;
  }

  private void readHeaderByte(int next) {
    if (headerBytesRead == 1) {
      int length = next & 0x7f;
      int extended = length == 126 ? 2 : length == 127 ? 8 : 0;
      payloadRemaining = extended == 0 ? length : 0;
      masked = next >= MASKED_BIT;
      headerLength = 2 + extended + (masked ? MASK_BYTES : 0);
    } else if (headerBytesRead > 1 && headerBytesRead < headerLength - (masked ? MASK_BYTES : 0)) {
      payloadRemaining = payloadRemaining << 8 | next;
      malformed |= payloadRemaining < 0;
    }
    headerBytesRead++;
  }

  /**
   * Creates a close frame.
   *
   * @param reason a short ASCII text
   * @param masked true for frames to the upstream, since clients must mask their frames
   */
  static Buffer closeFrame(int code, String reason, boolean masked) {
    Buffer body = Buffer.buffer().appendUnsignedShort(code).appendString(reason);
    Buffer frame = Buffer.buffer().appendUnsignedByte((short) CLOSE_FIRST_BYTE);
    if (!masked) {
      return frame.appendUnsignedByte((short) body.length()).appendBuffer(body);
    }
    byte[] mask = new byte[MASK_BYTES];
    ThreadLocalRandom.current().nextBytes(mask);
    frame.appendUnsignedByte((short) (MASKED_BIT | body.length())).appendBytes(mask);
    for (int i = 0; i < body.length(); i++) {
      frame.appendByte((byte) (body.getByte(i) ^ mask[i % MASK_BYTES]));
    }
    return frame;
  }
}
