package io.weir.bench.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntConsumer;

/** HTTP/1.1 with one request in flight, cycling through several requests. */
final class Http1Protocol implements ClientProtocol {
  private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(ISO_8859_1);
  private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

  private final List<byte[]> requests;
  private final char status;
  private int next;

  private Http1Protocol(List<byte[]> requests, int first, char status) {
    this.requests = requests;
    this.status = status;
    this.next = first;
  }

  /** Returns encoded requests with these bodies. */
  static List<byte[]> encodeRequests(String path, List<String> bodies) {
    return bodies.stream()
        .map(
            body ->
                "POST %s HTTP/1.1\r\nhost: bench\r\ncontent-length: %d\r\n\r\n%s"
                    .formatted(path, body.length(), body)
                    .getBytes(ISO_8859_1))
        .toList();
  }

  /** Cycles through all requests, starting at one of them. */
  static Http1Protocol startingAt(List<byte[]> requests, int first) {
    return new Http1Protocol(requests, first, '2');
  }

  /** Repeats one request and expects a status with this first digit. */
  static Http1Protocol repeating(String request, char status) {
    return new Http1Protocol(List.of(request.getBytes(ISO_8859_1)), 0, status);
  }

  @Override
  public byte[] connectionPreface() {
    return new byte[0];
  }

  @Override
  public int maxInFlight() {
    return 1;
  }

  @Override
  public ByteBuffer encodeRequest(int slot) {
    next = next + 1 >= requests.size() ? 0 : next + 1;
    return ByteBuffer.wrap(requests.get(next));
  }

  @Override
  public ByteBuffer onBytesReceived(ByteBuffer in, IntConsumer answered) {
    int end = findHeadEnd(in);
    if (end >= 0) {
      int length = contentLength(in, end);
      if (in.limit() - end >= length) {
        checkStatus(in);
        in.position(end + length);
        answered.accept(0);
      }
    }
    return NO_BYTES;
  }

  private void checkStatus(ByteBuffer in) {
    if (in.get(in.position() + "HTTP/1.1 ".length()) != status) {
      byte[] all = new byte[in.limit() - in.position()];
      in.get(in.position(), all);
      throw new IllegalStateException("unexpected response: " + new String(all, ISO_8859_1));
    }
  }

  /** Returns the start of the body; -1 if the head is incomplete. */
  private static int findHeadEnd(ByteBuffer in) {
    for (int i = in.position() + 3; i < in.limit(); i++) {
      if (in.get(i) == '\n' && in.get(i - 1) == '\r' && in.get(i - 2) == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  private static int contentLength(ByteBuffer in, int end) {
    for (int i = in.position(); i < end - CONTENT_LENGTH.length; i++) {
      int k = 0;
      while (k < CONTENT_LENGTH.length && (in.get(i + k) | 0x20) == (CONTENT_LENGTH[k] | 0x20)) {
        k++;
      }
      if (k == CONTENT_LENGTH.length) {
        int length = 0;
        for (int d = i + k; in.get(d) != '\r'; d++) {
          length = in.get(d) == ' ' ? 0 : length * 10 + in.get(d) - '0';
        }
        return length;
      }
    }
    throw new IllegalStateException("a response has no content-length");
  }
}
