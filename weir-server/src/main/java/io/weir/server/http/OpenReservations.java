package io.weir.server.http;

import io.weir.Reservation;
import io.weir.store.Clock;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The reservations this node has open, by ids nobody can guess. A node settles its own: an id
 * begins with the name of the node that made it.
 */
public final class OpenReservations {
  /** So that what is never settled cannot fill the memory; each lives for a day at most. */
  private static final int MOST = 1_000_000;

  private static final int ID_BYTES = 16;

  private final String node;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Kept> open = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<Due, String> due = new ConcurrentSkipListMap<>();
  private final AtomicLong made = new AtomicLong();

  /** When one may be forgotten; no two are equal. */
  private record Due(long micros, long number) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(micros, other.micros);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private record Kept(Reservation reservation, Due due) {}

  public OpenReservations(String node, Clock clock) {
    this.node = node;
    this.clock = clock;
  }

  /** Whether there is room for one more. */
  boolean hasRoom() {
    forget();
    return open.size() < MOST;
  }

  /** Keeps one until it expires; its id. */
  String keep(Reservation reservation, long ttlMillis) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = node + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    Kept kept =
        new Kept(reservation, new Due(clock.micros() + ttlMillis * 1000, made.getAndIncrement()));
    open.put(id, kept);
    due.put(kept.due, id);
    return id;
  }

  /** The one of an id, which is then no longer kept; null if there is none. */
  @Nullable Reservation take(String id) {
    forget();
    Kept kept = open.remove(id);
    if (kept == null) {
      return null;
    }
    due.remove(kept.due);
    return kept.reservation;
  }

  /** How many entries it holds; twice those that are open. */
  int entries() {
    return open.size() + due.size();
  }

  /** Whether an id was made by another node, which may still have it. */
  boolean isElsewhere(String id) {
    return id.indexOf('.') > 0 && !id.startsWith(node + ".");
  }

  private void forget() {
    long now = clock.micros();
    for (var first = due.firstEntry();
        first != null && first.getKey().micros() <= now;
        first = due.firstEntry()) {
      if (due.remove(first.getKey(), first.getValue())) {
        open.remove(first.getValue());
      }
    }
  }
}
