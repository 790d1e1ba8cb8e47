package io.weir.gateway;

import io.vertx.core.Vertx;
import io.weir.internal.background.TaskMonitor;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Checks the timeouts of all requests in flight on one event loop, periodically. One timer serves
 * all requests, since most end long before their timeout; a timeout may therefore fire late by up
 * to an eighth of its length. Not thread-safe.
 */
final class TimeoutWheel {
  private static final int TICKS_PER_TIMEOUT = 8;
  private static final long MAX_TICK_MILLIS = 1_000;

  /** Shared by all event loops; a tick that fails does not prevent the next one. */
  private static final TaskMonitor MONITOR =
      TaskMonitor.onDemand("gateway-timeouts", Duration.ofSeconds(1), Clock.system()::micros);

  private final Set<TimeoutTarget> targets = new LinkedHashSet<>();
  private final long tickMillis;
  private long nowMillis;

  /** An operation with timeouts. */
  @FunctionalInterface
  interface TimeoutTarget {
    /**
     * Checks the timeouts of the operation.
     *
     * @param now the time of this wheel in milliseconds
     */
    void checkTimeout(long now);
  }

  /**
   * Starts ticking.
   *
   * @param shortest the shortest timeout, in milliseconds
   */
  TimeoutWheel(Vertx vertx, long shortest) {
    tickMillis = Math.max(1, Math.min(MAX_TICK_MILLIS, shortest / TICKS_PER_TIMEOUT));
    vertx.setPeriodic(tickMillis, t -> MONITOR.run(this::tick));
  }

  long nowMillis() {
    return nowMillis;
  }

  void add(TimeoutTarget target) {
    targets.add(target);
  }

  void remove(TimeoutTarget target) {
    targets.remove(target);
  }

  private void tick() {
    nowMillis += tickMillis;
    for (TimeoutTarget target : new ArrayList<>(targets)) { // a check may remove its target
      target.checkTimeout(nowMillis);
    }
  }
}
