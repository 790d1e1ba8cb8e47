package io.weir.admin.traffic;

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
 * Traffic statistics of a node: samples the decision counts once a second, keeps the seconds for
 * five minutes, and flushes every ended minute to a history.
 *
 * <p>{@link #sample} and {@link #flushMinutes} must each be called by one thread at a time; all
 * other methods are thread-safe.
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

  public TrafficStats(TrafficTotals totals, TrafficHistoryStore history, StoreLatency latency) {
    this.totals = totals;
    this.history = history;
    this.latency = latency;
  }

  /** Decision counts since the start of the node. */
  public interface TrafficTotals {
    RuleCounts requests();

    /** Returns the counts of all rules that decided at least once. */
    Map<String, RuleCounts> rules();

    long degraded();
  }

  /**
   * Samples the counts and returns the changes since the last sample.
   *
   * @param time seconds since the epoch
   */
  public synchronized TrafficSecond sample(long time) {
    Map<String, RuleCounts> current = totals.rules();
    List<RuleCounts> changed = new ArrayList<>();
    current.forEach(
        (id, total) -> {
          RuleCounts delta = countsSince(total, previousCounts.get(id));
          if (delta.total() > 0) {
            changed.add(delta);
          }
        });
    previousCounts = current;
    RuleCounts requests = totals.requests();
    long degraded = totals.degraded();
    long shadowRefused = changed.stream().mapToLong(RuleCounts::shadowRefused).sum();
    TrafficSecond second =
        new TrafficSecond(
            time,
            requests.minus(previousRequests).plus(new RuleCounts("", 0, 0, shadowRefused)),
            TopRules.of(changed),
            degraded - previousDegraded,
            latency.takeSample());
    previousRequests = requests;
    previousDegraded = degraded;
    store(second);
    return second;
  }

  /** A rule that was deleted and created again counts from zero. */
  private static RuleCounts countsSince(RuleCounts current, @Nullable RuleCounts previous) {
    boolean restarted = previous == null || current.total() < previous.total();
    return restarted || previous == null ? current : current.minus(previous);
  }

  private void store(TrafficSecond second) {
    seconds.addLast(second);
    while (seconds.size() > SECONDS_KEPT) {
      seconds.removeFirst();
    }
    if (second.requests().total() > 0) {
      Map<String, RuleCounts> minute =
          minutes.computeIfAbsent(second.time() / 60 * 60, start -> new HashMap<>());
      TopRules.add(minute, second.requests());
      second.rules().values().forEach(counts -> TopRules.add(minute, counts));
    }
    while (minutes.size() > MAX_PENDING_MINUTES) {
      minutes.pollFirstEntry();
    }
  }

  /** Returns the seconds of the last five minutes, oldest first. */
  public synchronized List<TrafficSecond> seconds() {
    return List.copyOf(seconds);
  }

  public TrafficHistoryStore history() {
    return history;
  }

  /**
   * Flushes ended minutes to the history. If the history is unavailable, up to an hour of minutes
   * is kept and retried.
   *
   * @param time seconds since the epoch; minutes that ended by then are flushed
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
        LOG.log(
            Level.WARNING,
            "the traffic history cannot be written and will be retried: {0}",
            e.getMessage());
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
