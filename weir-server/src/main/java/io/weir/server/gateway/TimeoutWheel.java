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
final class TimeoutWheel {
  private static final int TICKS_PER_TIMEOUT = 8;
  private static final long MAX_TICK_MILLIS = 1_000;

  /** Of all event loops: a round that fails is followed by the next. */
  private static final TaskMonitor MONITOR =
      TaskMonitor.onDemand("gateway-timeouts", Duration.ofSeconds(1), Clock.system()::micros);

  private final Set<TimeoutTarget> targets = new LinkedHashSet<>();
  private final long tickMillis;
  private long nowMillis;

  /** Something that may take too long. */
  @FunctionalInterface
  interface TimeoutTarget {
    /**
     * @param now the watchman's time, in milliseconds
     */
    void checkTimeout(long now);
  }

  /**
   * Begins to go about.
   *
   * @param shortest of the time-outs, in milliseconds
   */
  TimeoutWheel(Vertx vertx, long shortest) {
    tickMillis = Math.max(1, Math.min(MAX_TICK_MILLIS, shortest / TICKS_PER_TIMEOUT));
    vertx.setPeriodic(tickMillis, t -> MONITOR.run(this::tick));
  }

  long nowMillis() {
    return nowMillis;
  }

  void add(TimeoutTarget one) {
    targets.add(one);
  }

  void remove(TimeoutTarget one) {
    targets.remove(one);
  }

  private void tick() {
    nowMillis += tickMillis;
    for (TimeoutTarget one : new ArrayList<>(targets)) { // some leave while they are asked
      one.checkTimeout(nowMillis);
    }
  }
}
