package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** How far the server's clock is ahead of this node's, as far as a round trip can tell. */
final class ClockDriftMonitor {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long WARN_DRIFT_MICROS = 20_000;

  private final RedisAddress address;
  private final Clock wallClock;
  private volatile long driftMicros;
  private volatile boolean aboveWarnLevel;

  ClockDriftMonitor(RedisAddress address, Clock wall) {
    this.address = address;
    this.wallClock = wall;
  }

  long driftMicros() {
    return driftMicros;
  }

  CompletionStage<Void> measure(RedisConnector.DriverConnection to) {
    long asked = wallClock.micros();
    return to.commands().time().thenAccept(time -> update(time, asked));
  }

  private void update(List<byte[]> time, long asked) {
    long store = parseNumber(time.get(0)) * 1_000_000 + parseNumber(time.get(1));
    driftMicros = clockOffsetMicros(store, asked, wallClock.micros());
    boolean wasFar = aboveWarnLevel;
    aboveWarnLevel = Math.abs(driftMicros) > WARN_DRIFT_MICROS;
    if (aboveWarnLevel && !wasFar) {
      LOG.log(
          Level.WARNING,
          "the clock of {0} is {1} ms ahead of this node''s; the store''s is what counts",
          address,
          driftMicros / 1000);
    }
  }

  /** How far a clock is ahead that said this between two times; 0 if it may have been in step. */
  static long clockOffsetMicros(long said, long asked, long answered) {
    long seen = said - (asked + answered) / 2;
    return Math.abs(seen) <= (answered - asked) / 2 ? 0 : seen;
  }

  private static long parseNumber(byte[] digits) {
    return Long.parseLong(new String(digits, US_ASCII));
  }
}
