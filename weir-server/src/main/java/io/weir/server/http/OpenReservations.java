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
  private static final int MAX_OPEN = 1_000_000;

  private static final int ID_BYTES = 16;

  private final String node;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, HeldReservation> reservationsById = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<ReservationExpiry, String> idsByExpiry =
      new ConcurrentSkipListMap<>();
  private final AtomicLong nextSequence = new AtomicLong();

  /** When one may be forgotten; no two are equal. */
  private record ReservationExpiry(long expiresAtMicros, long sequence)
      implements Comparable<ReservationExpiry> {
    @Override
    public int compareTo(ReservationExpiry other) {
      int byTime = Long.compare(expiresAtMicros, other.expiresAtMicros);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  private record HeldReservation(Reservation reservation, ReservationExpiry expiry) {}

  public OpenReservations(String node, Clock clock) {
    this.node = node;
    this.clock = clock;
  }

  /** Whether there is room for one more. */
  boolean hasCapacity() {
    removeExpired();
    return reservationsById.size() < MAX_OPEN;
  }

  /** Keeps one until it expires; its id. */
  String add(Reservation reservation, long ttlMillis) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = node + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    HeldReservation kept =
        new HeldReservation(
            reservation,
            new ReservationExpiry(
                clock.micros() + ttlMillis * 1000, nextSequence.getAndIncrement()));
    reservationsById.put(id, kept);
    idsByExpiry.put(kept.expiry, id);
    return id;
  }

  /** The one of an id, which is then no longer kept; null if there is none. */
  @Nullable Reservation remove(String id) {
    removeExpired();
    HeldReservation kept = reservationsById.remove(id);
    if (kept == null) {
      return null;
    }
    idsByExpiry.remove(kept.expiry);
    return kept.reservation;
  }

  /** How many entries it holds; twice those that are open. */
  int entryCount() {
    return reservationsById.size() + idsByExpiry.size();
  }

  /** Whether an id was made by another node, which may still have it. */
  boolean isFromOtherNode(String id) {
    return id.indexOf('.') > 0 && !id.startsWith(node + ".");
  }

  private void removeExpired() {
    long now = clock.micros();
    for (var first = idsByExpiry.firstEntry();
        first != null && first.getKey().expiresAtMicros() <= now;
        first = idsByExpiry.firstEntry()) {
      if (idsByExpiry.remove(first.getKey(), first.getValue())) {
        reservationsById.remove(first.getValue());
      }
    }
  }
}
