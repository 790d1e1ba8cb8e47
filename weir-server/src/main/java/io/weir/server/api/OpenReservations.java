package io.weir.server.api;

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
 * The open reservations of this node, by unguessable ids. Only the node that created a reservation
 * can settle it; the id begins with that node's name. Safe for any number of threads.
 */
public final class OpenReservations {
  /** Bounds memory if callers never settle; a reservation expires after a day at most. */
  private static final int MAX_OPEN = 1_000_000;

  private static final int ID_BYTES = 16;

  private final String node;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, HeldReservation> reservationsById = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<ReservationExpiry, String> idsByExpiry =
      new ConcurrentSkipListMap<>();
  private final AtomicLong nextSequence = new AtomicLong();

  /** The expiry of a reservation; the number makes each one unique. */
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

  /** Whether another reservation can be added. */
  boolean hasCapacity() {
    removeExpired();
    return reservationsById.size() < MAX_OPEN;
  }

  /** Adds a reservation until it expires, and returns its id. */
  String add(Reservation reservation, long ttlMillis) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = node + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    HeldReservation held =
        new HeldReservation(
            reservation,
            new ReservationExpiry(
                clock.micros() + ttlMillis * 1000, nextSequence.getAndIncrement()));
    reservationsById.put(id, held);
    idsByExpiry.put(held.expiry, id);
    return id;
  }

  /** Removes and returns the reservation with an id; null if there is none. */
  @Nullable Reservation remove(String id) {
    removeExpired();
    HeldReservation held = reservationsById.remove(id);
    if (held == null) {
      return null;
    }
    idsByExpiry.remove(held.expiry);
    return held.reservation;
  }

  /** The number of entries in both maps: twice the number of open reservations. */
  int entryCount() {
    return reservationsById.size() + idsByExpiry.size();
  }

  /** Whether an id was created by another node, which may still have the reservation. */
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
