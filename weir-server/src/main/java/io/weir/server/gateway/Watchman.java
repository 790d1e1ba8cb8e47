package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.weir.background.TaskMonitor;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Asks what is under way on one event loop, now and then, whether it takes too long. One timer for
 * all, since requests end far more often than they are late: a time-out may come an eighth of it
 * later than it was set.
 */
final class Watchman {
  private static final int PARTS = 8;
  private static final long LONGEST = 1_000;

  /** Of all event loops: a round that fails is followed by the next. */
  private static final TaskMonitor MONITOR =
      TaskMonitor.onDemand("gateway-timeouts", Duration.ofSeconds(1), Clock.system()::micros);

  private final Set<Watched> all = new LinkedHashSet<>();
  private final long tick;
  private long now;

  /** Something that may take too long. */
  @FunctionalInterface
  interface Watched {
    /**
     * @param now the watchman's time, in milliseconds
     */
    void look(long now);
  }

  /**
   * Begins to go about.
   *
   * @param shortest of the time-outs, in milliseconds
   */
  Watchman(Vertx vertx, long shortest) {
    tick = Math.max(1, Math.min(LONGEST, shortest / PARTS));
    vertx.setPeriodic(tick, t -> MONITOR.run(this::goAbout));
  }

  long now() {
    return now;
  }

  void add(Watched one) {
    all.add(one);
  }

  void remove(Watched one) {
    all.remove(one);
  }

  private void goAbout() {
    now += tick;
    for (Watched one : new ArrayList<>(all)) { // some leave while they are asked
      one.look(now);
    }
  }
}
