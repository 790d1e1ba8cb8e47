package io.weir.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A service that is called: its limits, the lanes its calls wait in, and the budget for repeating
 * them. Everything of a host is guarded by its monitor.
 *
 * <p>The budget is a tenth of the calls (or what is said), and ten for a start: however long a
 * service fails, it gets a tenth more calls than without any repetition.
 */
final class ServiceState {
  private static final int MAX_QUEUES = 1000;
  private static final int MAX_QUOTAS = 1000;
  private static final int PERCENT_PER_RETRY = 100;
  private static final int INITIAL_RETRIES = 10;
  private static final int MAX_SAVED_RETRIES = 100;

  private final Pacing pacing;
  private final Map<String, PacedCallQueue> queues = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, QuotaTracker> quotas = new LinkedHashMap<>(16, 0.75f, true);
  private long retryBudgetPercent = (long) INITIAL_RETRIES * PERCENT_PER_RETRY;
  private long initialBudgetPercent = (long) INITIAL_RETRIES * PERCENT_PER_RETRY;

  ServiceState(Pacing pacing) {
    this.pacing = pacing;
  }

  synchronized PacedCallQueue queue(String kind) {
    PacedCallQueue lane = queues.get(kind);
    if (lane == null) {
      lane = new PacedCallQueue(pacing, this, kind);
      evictIdle(queues, MAX_QUEUES, PacedCallQueue::isIdle);
      queues.put(kind, lane);
    }
    return lane;
  }

  /** The limits that readings speak of; those without a name are a lane's own. */
  List<QuotaTracker> updateQuotas(PacedCallQueue lane, List<LimitSnapshot> readings, long now) {
    List<QuotaTracker> met = new ArrayList<>(readings.size());
    for (LimitSnapshot reading : readings) {
      String name = reading.name().isEmpty() ? "\n" + lane.callClass() : reading.name();
      QuotaTracker quota = quotas.get(name);
      if (quota == null) {
        quota = new QuotaTracker(pacing.random);
        evictIdle(quotas, MAX_QUOTAS, q -> q.isIdle(now));
        quotas.put(name, quota);
      }
      quota.update(reading, now);
      met.add(quota);
    }
    return met;
  }

  /** Forgets one that is idle, those not used for longest first; the map grows if none is. */
  private static <T> void evictIdle(Map<String, T> map, int most, Predicate<T> idle) {
    if (map.size() >= most) {
      map.values().stream().filter(idle).findFirst().ifPresent(map.values()::remove);
    }
  }

  /** Earns for a call that is made for the first time; what was given at the start, first. */
  synchronized void onFirstAttempt() {
    if (initialBudgetPercent > 0) {
      initialBudgetPercent -= pacing.budgetPercent;
    } else {
      retryBudgetPercent =
          Math.min(
              retryBudgetPercent + pacing.budgetPercent,
              (long) MAX_SAVED_RETRIES * PERCENT_PER_RETRY);
    }
  }

  /** Pays for repeating a call; false if there is not enough. */
  synchronized boolean tryTakeRetry() {
    if (retryBudgetPercent < PERCENT_PER_RETRY || pacing.budgetPercent == 0) {
      return false;
    }
    retryBudgetPercent -= PERCENT_PER_RETRY;
    return true;
  }
}
