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
final class Host {
  private static final int MOST_LANES = 1000;
  private static final int MOST_QUOTAS = 1000;
  private static final int PERCENT = 100;
  private static final int AT_START = 10;
  private static final int MOST_SAVED = 100;

  private final Pacing pacing;
  private final Map<String, Lane> lanes = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Quota> quotas = new LinkedHashMap<>(16, 0.75f, true);
  private long budget = (long) AT_START * PERCENT;
  private long advance = (long) AT_START * PERCENT;

  Host(Pacing pacing) {
    this.pacing = pacing;
  }

  synchronized Lane lane(String kind) {
    Lane lane = lanes.get(kind);
    if (lane == null) {
      lane = new Lane(pacing, this, kind);
      makeRoom(lanes, MOST_LANES, Lane::isIdle);
      lanes.put(kind, lane);
    }
    return lane;
  }

  /** The limits that readings speak of; those without a name are a lane's own. */
  List<Quota> learn(Lane lane, List<Reading> readings, long now) {
    List<Quota> met = new ArrayList<>(readings.size());
    for (Reading reading : readings) {
      String name = reading.name().isEmpty() ? "\n" + lane.kind() : reading.name();
      Quota quota = quotas.get(name);
      if (quota == null) {
        quota = new Quota(pacing.random);
        makeRoom(quotas, MOST_QUOTAS, q -> q.isIdle(now));
        quotas.put(name, quota);
      }
      quota.read(reading, now);
      met.add(quota);
    }
    return met;
  }

  /** Forgets one that is idle, those not used for longest first; the map grows if none is. */
  private static <T> void makeRoom(Map<String, T> map, int most, Predicate<T> idle) {
    if (map.size() >= most) {
      map.values().stream().filter(idle).findFirst().ifPresent(map.values()::remove);
    }
  }

  /** Earns for a call that is made for the first time; what was given at the start, first. */
  synchronized void called() {
    if (advance > 0) {
      advance -= pacing.budgetPercent;
    } else {
      budget = Math.min(budget + pacing.budgetPercent, (long) MOST_SAVED * PERCENT);
    }
  }

  /** Pays for repeating a call; false if there is not enough. */
  synchronized boolean pays() {
    if (budget < PERCENT || pacing.budgetPercent == 0) {
      return false;
    }
    budget -= PERCENT;
    return true;
  }
}
