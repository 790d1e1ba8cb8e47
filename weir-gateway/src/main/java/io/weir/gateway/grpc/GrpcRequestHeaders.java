package io.weir.gateway.grpc;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** Reads the header fields of gRPC requests. */
public final class GrpcRequestHeaders {
  /** The media type of requests and responses; variants follow after {@code +} or {@code ;}. */
  public static final String MEDIA_TYPE = "application/grpc";

  /** The remaining time of a call, set by its caller. */
  public static final String TIMEOUT = "grpc-timeout";

  /** The time of a call that has no deadline. */
  public static final long NO_TIMEOUT = Long.MAX_VALUE;

  private static final int MAX_TIMEOUT_DIGITS = 8;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long MICROS_PER_MILLI = 1_000;
  private static final long MILLIS_PER_SECOND = 1_000;
  private static final long MILLIS_PER_MINUTE = 60 * MILLIS_PER_SECOND;
  private static final long MILLIS_PER_HOUR = 60 * MILLIS_PER_MINUTE;

  private GrpcRequestHeaders() {}

  /** Whether a request is a gRPC call; not for gRPC-Web, whose status is in the body. */
  public static boolean isGrpc(HttpServerRequest http) {
    return http.version() == HttpVersion.HTTP_2
        && isGrpc(http.headers().get(HttpHeaders.CONTENT_TYPE));
  }

  /** Whether a content type is that of gRPC messages. */
  public static boolean isGrpc(@Nullable String contentType) {
    if (contentType == null || !contentType.startsWith(MEDIA_TYPE)) {
      return false;
    }
    return contentType.length() == MEDIA_TYPE.length()
        || "+; ".indexOf(contentType.charAt(MEDIA_TYPE.length())) >= 0;
  }

  /**
   * Returns the time of a {@code grpc-timeout} field in milliseconds, rounded up; {@link
   * #NO_TIMEOUT} if it is absent or invalid.
   */
  public static long timeoutMillis(@Nullable String field) {
    int digits = field == null ? 0 : field.length() - 1;
    if (field == null || digits < 1 || digits > MAX_TIMEOUT_DIGITS) {
      return NO_TIMEOUT;
    }
    long value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = field.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return NO_TIMEOUT;
      }
      value = 10 * value + digit;
    }
    return switch (field.charAt(digits)) {
      case 'H' -> value * MILLIS_PER_HOUR;
      case 'M' -> value * MILLIS_PER_MINUTE;
      case 'S' -> value * MILLIS_PER_SECOND;
      case 'm' -> value;
      case 'u' -> (value + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
      case 'n' -> (value + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
      default -> NO_TIMEOUT;
    };
  }

  /** Formats a {@code grpc-timeout} field; in seconds if the milliseconds have too many digits. */
  public static String formatTimeout(long millis) {
    String text = Long.toString(millis);
    return text.length() <= MAX_TIMEOUT_DIGITS ? text + 'm' : millis / MILLIS_PER_SECOND + "S";
  }
}
