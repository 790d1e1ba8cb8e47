package io.weir.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Concurrent calls of Envoy's rate limit service over one HTTP/2 connection, with minimal framing:
 * every call sends the same header block, and a response is complete when its stream ends.
 */
final class GrpcProtocol implements ClientProtocol {
  static final int MAX_IN_FLIGHT = 8;
  private static final int FRAME_HEADER_BYTES = 9;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int MAX_WINDOW = 0x7fffffff;
  private static final byte[] HEADER_BLOCK = encodeHeaderBlock();

  private final List<byte[]> messages;
  private final int[] slotOf = new int[1024];
  private int stream = -1;
  private int next;

  private GrpcProtocol(List<byte[]> messages, int first) {
    this.messages = messages;
    this.next = first;
  }

  static GrpcProtocol startingAt(List<byte[]> messages, int first) {
    return new GrpcProtocol(messages, first);
  }

  /** Returns a protobuf-encoded RateLimitRequest with one descriptor. */
  static byte[] encodeMessage(String domain, String key, String value) {
    byte[] entry = join(field(1, key.getBytes(US_ASCII)), field(2, value.getBytes(US_ASCII)));
    return join(field(1, domain.getBytes(US_ASCII)), field(2, field(1, entry)));
  }

  private static byte[] field(int number, byte[] value) {
    return join(new byte[] {(byte) (number << 3 | 2), (byte) value.length}, value);
  }

  @Override
  public byte[] connectionPreface() {
    byte[] window = new byte[] {0, 4, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff};
    ByteBuffer more = ByteBuffer.allocate(4).putInt(MAX_WINDOW - 65_535);
    return join(
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII),
        frame(SETTINGS, 0, 0, window),
        frame(WINDOW_UPDATE, 0, 0, more.array()));
  }

  @Override
  public int maxInFlight() {
    return MAX_IN_FLIGHT;
  }

  @Override
  public ByteBuffer encodeRequest(int slot) {
    stream += 2;
    slotOf[stream / 2 % slotOf.length] = slot;
    next = next + 1 >= messages.size() ? 0 : next + 1;
    byte[] message = messages.get(next);
    byte[] prefixed =
        ByteBuffer.allocate(5 + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array();
    return ByteBuffer.wrap(
        join(
            frame(HEADERS, END_HEADERS, stream, HEADER_BLOCK),
            frame(DATA, END_STREAM, stream, prefixed)));
  }

  @Override
  public ByteBuffer onBytesReceived(ByteBuffer in, IntConsumer answered) {
    byte[] back = new byte[0];
    while (in.remaining() >= FRAME_HEADER_BYTES) {
      int at = in.position();
      int length = (in.get(at) & 0xff) << 16 | (in.getShort(at + 1) & 0xffff);
      if (in.remaining() < FRAME_HEADER_BYTES + length) {
        break;
      }
      int type = in.get(at + 3);
      int flags = in.get(at + 4);
      int id = in.getInt(at + 5);
      in.position(at + FRAME_HEADER_BYTES + length);
      if (type == RST_STREAM || type == GOAWAY) {
        throw new IllegalStateException("a call failed: frame of type " + type);
      } else if (type == SETTINGS && (flags & 1) == 0) {
        back = join(back, frame(SETTINGS, 1, 0, new byte[0]));
      } else if (type == PING && (flags & 1) == 0) {
        byte[] ping = new byte[length];
        in.get(at + FRAME_HEADER_BYTES, ping);
        back = join(back, frame(PING, 1, 0, ping));
      } else if ((type == HEADERS || type == DATA) && (flags & END_STREAM) != 0) {
        answered.accept(slotOf[id / 2 % slotOf.length]);
      }
    }
    return ByteBuffer.wrap(back);
  }

  /** Returns the header block of every call, as literals, so that no dynamic table is needed. */
  private static byte[] encodeHeaderBlock() {
    String path = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    return join(
        literal(":method", "POST"),
        literal(":scheme", "http"),
        literal(":path", path),
        literal(":authority", "bench"),
        literal("content-type", "application/grpc"),
        literal("te", "trailers"));
  }

  private static byte[] literal(String name, String value) {
    byte[] n = name.getBytes(US_ASCII);
    byte[] v = value.getBytes(US_ASCII);
    return join(new byte[] {0, (byte) n.length}, n, new byte[] {(byte) v.length}, v);
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(FRAME_HEADER_BYTES + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
