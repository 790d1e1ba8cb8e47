package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** How far the server's clock is ahead of this node's, as far as a round trip can tell. */
final class Drift {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long FAR = 20_000;

  private final Address address;
  private final Clock wall;
  private volatile long micros;
  private volatile boolean far;

  Drift(Address address, Clock wall) {
    this.address = address;
    this.wall = wall;
  }

  long micros() {
    return micros;
  }

  CompletionStage<Void> measure(Route.Wire to) {
    long asked = wall.micros();
    return to.commands().time().thenAccept(time -> compare(time, asked));
  }

  private void compare(List<byte[]> time, long asked) {
    long store = number(time.get(0)) * 1_000_000 + number(time.get(1));
    micros = ahead(store, asked, wall.micros());
    boolean wasFar = far;
    far = Math.abs(micros) > FAR;
    if (far && !wasFar) {
      LOG.log(
          Level.WARNING,
          "the clock of {0} is {1} ms ahead of this node''s; the store''s is what counts",
          address,
          micros / 1000);
    }
  }

  /** How far a clock is ahead that said this between two times; 0 if it may have been in step. */
  static long ahead(long said, long asked, long answered) {
    long seen = said - (asked + answered) / 2;
    return Math.abs(seen) <= (answered - asked) / 2 ? 0 : seen;
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, US_ASCII));
  }
}
