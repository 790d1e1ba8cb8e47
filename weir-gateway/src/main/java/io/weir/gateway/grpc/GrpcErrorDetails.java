package io.weir.gateway.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Base64;

/**
 * Encodes the error fields of a gRPC response: the message, and the details with the time to wait.
 *
 * <p>The details are a {@code google.rpc.Status} with a {@code google.rpc.RetryInfo}. They are
 * encoded by hand, since the gateway needs no other protocol buffer.
 */
public final class GrpcErrorDetails {
  private static final String RETRY_INFO_TYPE = "type.googleapis.com/google.rpc.RetryInfo";
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;
  private static final int TYPE_BITS = 3;
  private static final int VARINT_BITS = 7;
  private static final int VARINT_MASK = 0x7f;
  private static final int VARINT_MORE = 0x80;

  private GrpcErrorDetails() {}

  /** Returns the value of {@code grpc-status-details-bin}, with a {@code RetryInfo}. */
  public static String retryInfo(GrpcStatusCode code, String message, Duration delay) {
    ByteArrayOutputStream duration = new ByteArrayOutputStream();
    appendVarint(duration, 1, delay.toSeconds());
    appendVarint(duration, 2, delay.toNanosPart());
    ByteArrayOutputStream retryInfo = new ByteArrayOutputStream();
    appendBytes(retryInfo, 1, duration.toByteArray());
    ByteArrayOutputStream any = new ByteArrayOutputStream();
    appendBytes(any, 1, RETRY_INFO_TYPE.getBytes(UTF_8));
    appendBytes(any, 2, retryInfo.toByteArray());
    ByteArrayOutputStream status = new ByteArrayOutputStream();
    appendVarint(status, 1, code.code());
    appendBytes(status, 2, message.getBytes(UTF_8));
    appendBytes(status, 3, any.toByteArray());
    return Base64.getEncoder().withoutPadding().encodeToString(status.toByteArray());
  }

  /** Returns the value of {@code grpc-message}: percent-encoded UTF-8. */
  public static String encodeMessage(String message) {
    StringBuilder out = new StringBuilder(message.length());
    for (byte b : message.getBytes(UTF_8)) {
      if (b >= ' ' && b <= '~' && b != '%') {
        out.append((char) b);
      } else {
        out.append('%')
            .append(Character.toUpperCase(Character.forDigit(b >> 4 & 0xf, 16)))
            .append(Character.toUpperCase(Character.forDigit(b & 0xf, 16)));
      }
    }
    return out.toString();
  }

  private static void appendVarint(ByteArrayOutputStream out, int field, long value) {
    out.write(field << TYPE_BITS | VARINT);
    appendNumber(out, value);
  }

  private static void appendBytes(ByteArrayOutputStream out, int field, byte[] value) {
    out.write(field << TYPE_BITS | LENGTH_DELIMITED);
    appendNumber(out, value.length);
    out.writeBytes(value);
  }

  private static void appendNumber(ByteArrayOutputStream out, long value) {
    long rest = value;
    while (rest > VARINT_MASK) {
      out.write((int) (rest & VARINT_MASK) | VARINT_MORE);
      rest >>>= VARINT_BITS;
    }
    out.write((int) rest);
  }
}
