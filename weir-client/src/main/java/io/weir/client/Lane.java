package io.weir.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The calls of one class to one host, in the order they came: each goes when the limits it meets
 * have room and the service has not asked to stay away. Guarded by its host; what it lets go is
 * told outside.
 *
 * <p>At first, and after every refusal, little is known: one call goes, two when it is answered
 * well, then four; once an answer tells of limits, as many as these let go. So a thousand callers
 * that start or were held together do not come together. A service that takes more than a second to
 * answer does not hold the others up.
 */
final class Lane {
  private static final long PATIENCE = 1_000_000;
  private static final int UNBOUND = 1 << 20;
  private static final long NEVER = Long.MAX_VALUE;

  private final Pacing pacing;
  private final Host host;
  private final String kind;
  private final Deque<Trip> queue = new ArrayDeque<>();
  private List<Quota> quotas = List.of();
  private long heldUntil;
  private long sentAt;
  private int underWay;
  private int atOnce = 1;
  private long timerAt = NEVER;

  Lane(Pacing pacing, Host host, String kind) {
    this.pacing = pacing;
    this.host = host;
    this.kind = kind;
  }

  String kind() {
    return kind;
  }

  Host host() {
    return host;
  }

  boolean isIdle() {
    return underWay == 0 && queue.isEmpty() && heldUntil <= pacing.clock.micros();
  }

  /**
   * Queues a call, before those that were never sent if it is repeated.
   *
   * @return when it will go, about, if that is too late for it, and it was not queued; else 0
   */
  long enter(Trip trip, boolean repeated) {
    synchronized (host) {
      long now = pacing.clock.micros();
      long gap = quotas.stream().mapToLong(q -> q.gap(now)).max().orElse(0);
      long expected = earliest(now) + (repeated ? 0 : gap * queue.size());
      if (expected > trip.deadline()) {
        return expected;
      }
      if (repeated) {
        queue.addFirst(trip);
      } else {
        queue.addLast(trip);
      }
    }
    pump();
    return 0;
  }

  void leave(Trip trip) {
    synchronized (host) {
      queue.remove(trip);
    }
  }

  /** Lets go what may go, and sees to it that the rest is looked after. */
  void pump() {
    List<Trip> going = new ArrayList<>();
    synchronized (host) {
      long now = pacing.clock.micros();
      timerAt = timerAt <= now ? NEVER : timerAt;
      while (!queue.isEmpty()) {
        long at = next(now);
        if (at > now) {
          wakeAt(at, now);
          break;
        }
        Trip trip = queue.removeFirst();
        underWay++;
        sentAt = now;
        quotas.forEach(q -> q.take(now));
        trip.takes(quotas);
        going.add(trip);
      }
    }
    going.forEach(Trip::go);
  }

  private long next(long now) {
    long at = earliest(now);
    if (at <= now && underWay >= atOnce) {
      if (now < sentAt + PATIENCE) {
        return sentAt + PATIENCE;
      }
      atOnce = Math.min(2 * atOnce, UNBOUND);
    }
    return at;
  }

  private long earliest(long now) {
    long at = Math.max(now, heldUntil);
    for (Quota quota : quotas) {
      at = Math.max(at, quota.earliest(now));
    }
    return at;
  }

  private void wakeAt(long at, long now) {
    if (at < timerAt) {
      timerAt = at;
      pacing.timer.in(at - now, this::pump);
    }
  }

  /**
   * Learns from an answer.
   *
   * @param pause for how long no call of this lane may go, if it is a refusal
   * @return until when none may go
   */
  long answered(List<Quota> taken, Told told, long pause) {
    long until;
    synchronized (host) {
      long now = pacing.clock.micros();
      underWay--;
      taken.forEach(Quota::answered);
      List<Quota> met = host.learn(this, told.readings(), now);
      if (told.refused()) {
        // of many refused together, the first says when: the latest of all would be later for each
        heldUntil = now + told.retryAfter() < heldUntil ? heldUntil : now + pause;
        atOnce = 1;
      } else {
        atOnce = met.isEmpty() ? Math.min(2 * atOnce, UNBOUND) : UNBOUND;
      }
      // what a failing service leaves out still holds
      quotas = met.isEmpty() && told.status() >= 400 ? quotas : met;
      until = heldUntil;
    }
    pump();
    return until;
  }

  /** Notes that a call brought no answer. */
  void unanswered(List<Quota> taken) {
    synchronized (host) {
      underWay--;
      taken.forEach(Quota::unanswered);
    }
    pump();
  }
}
