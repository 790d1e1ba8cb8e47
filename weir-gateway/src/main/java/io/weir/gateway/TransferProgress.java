package io.weir.gateway;

import org.jspecify.annotations.Nullable;

/**
 * Detects that a request makes too little progress: that its upstream is silent, that its caller
 * sends or reads too slowly, or that the deadline of its caller is over. Not thread-safe.
 *
 * <p>The messages of a gRPC call may be rare on purpose, so its caller may be slow; but without any
 * byte in either direction for the upstream's timeout, the call fails too.
 */
final class TransferProgress {
  private final UpstreamSettings settings;
  private final boolean grpc;
  private final long callTimeoutMillis;
  private long deadlineMillis;
  private long bytesAtSilenceCheck;
  private long silenceCheckMillis;
  private long bytesAtPaceCheck;
  private long paceCheckMillis;

  /**
   * @param callTimeoutMillis the time that the caller gives to the whole request
   */
  TransferProgress(UpstreamSettings settings, boolean grpc, long callTimeoutMillis) {
    this.settings = settings;
    this.grpc = grpc;
    this.callTimeoutMillis = callTimeoutMillis;
  }

  /** Called when the request is sent. */
  void start(long nowMillis) {
    deadlineMillis = nowMillis + Math.min(callTimeoutMillis, Long.MAX_VALUE - nowMillis);
    silenceCheckMillis = nowMillis;
    paceCheckMillis = nowMillis;
  }

  /** Called when the response begins. */
  void startResponse(long nowMillis) {
    bytesAtPaceCheck = 0;
    paceCheckMillis = nowMillis;
  }

  /**
   * Checks the progress so far.
   *
   * @param sent the number of bytes of the request
   * @param received the number of bytes of the response; negative before it begins
   * @param waitingForCaller whether the caller has to send or read more
   * @return the failure; null if there is none
   */
  @Nullable ForwardingFailure check(long now, long sent, long received, boolean waitingForCaller) {
    if (now >= deadlineMillis) {
      return ForwardingFailure.LATE;
    }
    if (now - silenceCheckMillis >= settings.upstreamTimeoutMillis()) {
      long bytes = sent + Math.max(0, received);
      if (bytes == bytesAtSilenceCheck && (grpc || !waitingForCaller)) {
        return ForwardingFailure.LATE;
      }
      bytesAtSilenceCheck = bytes;
      silenceCheckMillis = now;
    }
    if (!grpc && now - paceCheckMillis >= settings.callerTimeoutMillis()) {
      long progress = received < 0 ? sent : received;
      if (progress - bytesAtPaceCheck < settings.minBytesPerTimeout() && waitingForCaller) {
        return ForwardingFailure.SLOW;
      }
      bytesAtPaceCheck = progress;
      paceCheckMillis = now;
    }
    return null;
  }
}
