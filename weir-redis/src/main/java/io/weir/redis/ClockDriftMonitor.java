package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Measures how far the server's clock is ahead of this node's, as exactly as a round trip allows.
 */
final class ClockDriftMonitor {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long WARN_DRIFT_MICROS = 20_000;

  private final RedisAddress address;
  private final Clock wallClock;
  private volatile long driftMicros;
  private volatile boolean aboveWarnLevel;

  ClockDriftMonitor(RedisAddress address, Clock wallClock) {
    this.address = address;
    this.wallClock = wallClock;
  }

  long driftMicros() {
    return driftMicros;
  }

  CompletionStage<Void> measure(RedisConnector.DriverConnection connection) {
    long sentMicros = wallClock.micros();
    return connection.commands().time().thenAccept(time -> update(time, sentMicros));
  }

  private void update(List<byte[]> serverTime, long sentMicros) {
    long serverMicros = parseNumber(serverTime.get(0)) * 1_000_000 + parseNumber(serverTime.get(1));
    driftMicros = clockOffsetMicros(serverMicros, sentMicros, wallClock.micros());
    boolean wasFar = aboveWarnLevel;
    aboveWarnLevel = Math.abs(driftMicros) > WARN_DRIFT_MICROS;
    if (aboveWarnLevel && !wasFar) {
      LOG.log(
          Level.WARNING,
          "the clock of {0} is {1} ms ahead of this node''s; decisions use the clock of the store",
          address,
          driftMicros / 1000);
    }
  }

  /** Returns how far a clock read between two times is ahead; 0 if it may have been in step. */
  static long clockOffsetMicros(long serverMicros, long sentMicros, long receivedMicros) {
    long offsetMicros = serverMicros - (sentMicros + receivedMicros) / 2;
    return Math.abs(offsetMicros) <= (receivedMicros - sentMicros) / 2 ? 0 : offsetMicros;
  }

  private static long parseNumber(byte[] digits) {
    return Long.parseLong(new String(digits, US_ASCII));
  }
}
