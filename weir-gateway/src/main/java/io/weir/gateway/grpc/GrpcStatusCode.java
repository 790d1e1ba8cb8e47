package io.weir.gateway.grpc;

/** The gRPC status codes that the gateway answers with. */
public enum GrpcStatusCode {
  UNKNOWN(2),
  DEADLINE_EXCEEDED(4),
  PERMISSION_DENIED(7),
  RESOURCE_EXHAUSTED(8),
  UNIMPLEMENTED(12),
  INTERNAL(13),
  UNAVAILABLE(14),
  UNAUTHENTICATED(16);

  private final int code;

  GrpcStatusCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** Maps the status of an HTTP response that the gateway would have given itself. */
  public static GrpcStatusCode ofHttpStatus(int status) {
    return switch (status) {
      case 400 -> INTERNAL;
      case 401 -> UNAUTHENTICATED;
      case 403 -> PERMISSION_DENIED;
      case 404 -> UNIMPLEMENTED;
      case 408, 504 -> DEADLINE_EXCEEDED;
      case 429 -> RESOURCE_EXHAUSTED;
      case 502, 503, 508 -> UNAVAILABLE;
      default -> UNKNOWN;
    };
  }
}
