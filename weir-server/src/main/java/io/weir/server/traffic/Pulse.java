package io.weir.server.traffic;

import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.Said;
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
 * <p>{@link #beat} and {@link #keep} are for one thread each; all else for any number.
 */
public final class Pulse {
  private static final Logger LOG = System.getLogger(Pulse.class.getName());
  static final int REMEMBERED = 300;
  private static final int MOST_WAITING = 60;

  private final Counted counted;
  private final History history;
  private final Latency latency;
  private final Deque<Second> seconds = new ArrayDeque<>();
  private final NavigableMap<Long, Map<String, Said>> minutes = new TreeMap<>();
  private Map<String, Said> before = new HashMap<>();
  private Said requestsBefore = Said.nothing(Said.REQUESTS);
  private long degradedBefore;
  private boolean away;

  public Pulse(Counted counted, History history, Latency latency) {
    this.counted = counted;
    this.history = history;
    this.latency = latency;
  }

  /** What was counted so far. */
  public interface Counted {
    Said requests();

    /** What rules said, those that said anything. */
    Map<String, Said> rules();

    long degraded();
  }

  /** Looks, at a moment in seconds since the epoch; what came since the last look. */
  public synchronized Second beat(long time) {
    Map<String, Said> now = counted.rules();
    List<Said> moved = new ArrayList<>();
    now.forEach(
        (id, said) -> {
          Said since = since(said, before.get(id));
          if (since.total() > 0) {
            moved.add(since);
          }
        });
    before = now;
    Said requests = counted.requests();
    long degraded = counted.degraded();
    long shadow = moved.stream().mapToLong(Said::shadowRefused).sum();
    Second second =
        new Second(
            time,
            requests.minus(requestsBefore).plus(new Said("", 0, 0, shadow)),
            Busiest.of(moved),
            degraded - degradedBefore,
            latency.since());
    requestsBefore = requests;
    degradedBefore = degraded;
    remember(second);
    return second;
  }

  /** A rule that was forgotten and came back has counted from nothing. */
  private static Said since(Said now, @Nullable Said then) {
    boolean anew = then == null || now.total() < then.total();
    return anew || then == null ? now : now.minus(then);
  }

  private void remember(Second second) {
    seconds.addLast(second);
    while (seconds.size() > REMEMBERED) {
      seconds.removeFirst();
    }
    if (second.requests().total() > 0) {
      Map<String, Said> minute =
          minutes.computeIfAbsent(second.time() / 60 * 60, began -> new HashMap<>());
      Busiest.add(minute, second.requests());
      second.rules().values().forEach(said -> Busiest.add(minute, said));
    }
    while (minutes.size() > MOST_WAITING) {
      minutes.pollFirstEntry();
    }
  }

  /** The last five minutes by the second, the oldest first. */
  public synchronized List<Second> seconds() {
    return List.copyOf(seconds);
  }

  public History history() {
    return history;
  }

  /**
   * Hands minutes to the history; those it cannot take now are offered again, up to an hour of
   * them.
   *
   * @param time minutes that ended by then, in seconds since the epoch
   */
  public void keep(long time) {
    try {
      for (Map.Entry<Long, Map<String, Said>> minute = ended(time);
          minute != null;
          minute = ended(time)) {
        history.add(minute.getKey(), minute.getValue().values());
        forget(minute);
      }
      away = false;
    } catch (DatabaseException e) {
      if (!away) {
        LOG.log(Level.WARNING, "the history of traffic waits: {0}", e.getMessage());
      }
      away = true;
    }
  }

  private synchronized Map.@Nullable Entry<Long, Map<String, Said>> ended(long time) {
    Map.Entry<Long, Map<String, Said>> first = minutes.firstEntry();
    return first != null && first.getKey() + 60 <= time
        ? Map.entry(first.getKey(), Map.copyOf(first.getValue()))
        : null;
  }

  private synchronized void forget(Map.Entry<Long, Map<String, Said>> minute) {
    minutes.remove(minute.getKey());
  }
}
