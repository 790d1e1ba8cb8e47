package io.weir.server.traffic;

import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.RuleCounts;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second at what was decided so far, remembers what that second brought for five
 * minutes, and hands every minute that is over to a history.
 *
 * <p>{@link #sample} and {@link #flushMinutes} are for one thread each; all else for any number.
 */
public final class TrafficStats {
  private static final Logger LOG = System.getLogger(TrafficStats.class.getName());
  static final int SECONDS_KEPT = 300;
  private static final int MAX_PENDING_MINUTES = 60;

  private final TrafficTotals totals;
  private final TrafficHistoryStore history;
  private final StoreLatency latency;
  private final Deque<TrafficSecond> seconds = new ArrayDeque<>();
  private final NavigableMap<Long, Map<String, RuleCounts>> minutes = new TreeMap<>();
  private Map<String, RuleCounts> previousCounts = new HashMap<>();
  private RuleCounts previousRequests = RuleCounts.zero(RuleCounts.WHOLE_REQUESTS);
  private long previousDegraded;
  private boolean historyUnavailable;

  public TrafficStats(TrafficTotals counted, TrafficHistoryStore history, StoreLatency latency) {
    this.totals = counted;
    this.history = history;
    this.latency = latency;
  }

  /** What was counted so far. */
  public interface TrafficTotals {
    RuleCounts requests();

    /** What rules said, those that said anything. */
    Map<String, RuleCounts> rules();

    long degraded();
  }

  /** Looks, at a moment in seconds since the epoch; what came since the last look. */
  public synchronized TrafficSecond sample(long time) {
    Map<String, RuleCounts> now = totals.rules();
    List<RuleCounts> moved = new ArrayList<>();
    now.forEach(
        (id, said) -> {
          RuleCounts since = countsSince(said, previousCounts.get(id));
          if (since.total() > 0) {
            moved.add(since);
          }
        });
    previousCounts = now;
    RuleCounts requests = totals.requests();
    long degraded = totals.degraded();
    long shadow = moved.stream().mapToLong(RuleCounts::shadowRefused).sum();
    TrafficSecond second =
        new TrafficSecond(
            time,
            requests.minus(previousRequests).plus(new RuleCounts("", 0, 0, shadow)),
            TopRules.of(moved),
            degraded - previousDegraded,
            latency.takeSample());
    previousRequests = requests;
    previousDegraded = degraded;
    store(second);
    return second;
  }

  /** A rule that was forgotten and came back has counted from nothing. */
  private static RuleCounts countsSince(RuleCounts now, @Nullable RuleCounts then) {
    boolean anew = then == null || now.total() < then.total();
    return anew || then == null ? now : now.minus(then);
  }

  private void store(TrafficSecond second) {
    seconds.addLast(second);
    while (seconds.size() > SECONDS_KEPT) {
      seconds.removeFirst();
    }
    if (second.requests().total() > 0) {
      Map<String, RuleCounts> minute =
          minutes.computeIfAbsent(second.time() / 60 * 60, began -> new HashMap<>());
      TopRules.add(minute, second.requests());
      second.rules().values().forEach(said -> TopRules.add(minute, said));
    }
    while (minutes.size() > MAX_PENDING_MINUTES) {
      minutes.pollFirstEntry();
    }
  }

  /** The last five minutes by the second, the oldest first. */
  public synchronized List<TrafficSecond> seconds() {
    return List.copyOf(seconds);
  }

  public TrafficHistoryStore history() {
    return history;
  }

  /**
   * Hands minutes to the history; those it cannot take now are offered again, up to an hour of
   * them.
   *
   * @param time minutes that ended by then, in seconds since the epoch
   */
  public void flushMinutes(long time) {
    try {
      for (Map.Entry<Long, Map<String, RuleCounts>> minute = firstEndedMinute(time);
          minute != null;
          minute = firstEndedMinute(time)) {
        history.add(minute.getKey(), minute.getValue().values());
        removeMinute(minute);
      }
      historyUnavailable = false;
    } catch (DatabaseException e) {
      if (!historyUnavailable) {
        LOG.log(Level.WARNING, "the history of traffic waits: {0}", e.getMessage());
      }
      historyUnavailable = true;
    }
  }

  private synchronized Map.@Nullable Entry<Long, Map<String, RuleCounts>> firstEndedMinute(
      long time) {
    Map.Entry<Long, Map<String, RuleCounts>> first = minutes.firstEntry();
    return first != null && first.getKey() + 60 <= time
        ? Map.entry(first.getKey(), Map.copyOf(first.getValue()))
        : null;
  }

  private synchronized void removeMinute(Map.Entry<Long, Map<String, RuleCounts>> minute) {
    minutes.remove(minute.getKey());
  }
}
