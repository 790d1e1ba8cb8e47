package io.weir.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The state of a called service: its known limits, the queues of its waiting calls, and its retry
 * budget. All of it, including the queues and quotas, is guarded by the monitor of this object.
 *
 * <p>The retry budget is a configurable percentage of the calls, 10 % by default, and 10 retries
 * initially: however long a service fails, it receives at most 10 % more calls than without
 * retries.
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

  synchronized PacedCallQueue queue(String callClass) {
    PacedCallQueue queue = queues.get(callClass);
    if (queue == null) {
      queue = new PacedCallQueue(pacing, this, callClass);
      evictIdle(queues, MAX_QUEUES, PacedCallQueue::isIdle);
      queues.put(callClass, queue);
    }
    return queue;
  }

  /**
   * Updates and returns the quotas of the given limits; limits without a name belong to a queue.
   */
  List<QuotaTracker> updateQuotas(PacedCallQueue queue, List<LimitSnapshot> limits, long now) {
    List<QuotaTracker> known = new ArrayList<>(limits.size());
    for (LimitSnapshot limit : limits) {
      String name = limit.name().isEmpty() ? "\n" + queue.callClass() : limit.name();
      QuotaTracker quota = quotas.get(name);
      if (quota == null) {
        quota = new QuotaTracker(pacing.random);
        evictIdle(quotas, MAX_QUOTAS, q -> q.isIdle(now));
        quotas.put(name, quota);
      }
      quota.update(limit, now);
      known.add(quota);
    }
    return known;
  }

  /** Removes the least recently used idle entry of a full map; the map grows if none is idle. */
  private static <T> void evictIdle(Map<String, T> map, int maxSize, Predicate<T> idle) {
    if (map.size() >= maxSize) {
      map.values().stream().filter(idle).findFirst().ifPresent(map.values()::remove);
    }
  }

  /** Adds to the retry budget for a first attempt, after the initial budget has been earned. */
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

  /** Takes a retry from the budget; returns false if the budget is exhausted. */
  synchronized boolean tryTakeRetry() {
    if (retryBudgetPercent < PERCENT_PER_RETRY || pacing.budgetPercent == 0) {
      return false;
    }
    retryBudgetPercent -= PERCENT_PER_RETRY;
    return true;
  }
}
