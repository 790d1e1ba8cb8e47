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
final class PacedCallQueue {
  private static final long SLOW_ANSWER_MICROS = 1_000_000;
  private static final int UNLIMITED_CALLS = 1 << 20;
  private static final long NEVER = Long.MAX_VALUE;

  private final Pacing pacing;
  private final ServiceState service;
  private final String callClass;
  private final Deque<PacedCall> queue = new ArrayDeque<>();
  private List<QuotaTracker> quotas = List.of();
  private long heldUntilMicros;
  private long lastSentMicros;
  private int inFlight;
  private int maxInFlight = 1;
  private long timerMicros = NEVER;

  PacedCallQueue(Pacing pacing, ServiceState host, String kind) {
    this.pacing = pacing;
    this.service = host;
    this.callClass = kind;
  }

  String callClass() {
    return callClass;
  }

  ServiceState service() {
    return service;
  }

  boolean isIdle() {
    return inFlight == 0 && queue.isEmpty() && heldUntilMicros <= pacing.clock.micros();
  }

  /**
   * Queues a call, before those that were never sent if it is repeated.
   *
   * @return when it will go, about, if that is too late for it, and it was not queued; else 0
   */
  long enqueue(PacedCall trip, boolean repeated) {
    synchronized (service) {
      long now = pacing.clock.micros();
      long gap = quotas.stream().mapToLong(q -> q.gapMicros(now)).max().orElse(0);
      long expected = earliestMicros(now) + (repeated ? 0 : gap * queue.size());
      if (expected > trip.deadlineMicros()) {
        return expected;
      }
      if (repeated) {
        queue.addFirst(trip);
      } else {
        queue.addLast(trip);
      }
    }
    dispatch();
    return 0;
  }

  void remove(PacedCall trip) {
    synchronized (service) {
      queue.remove(trip);
    }
  }

  /** Lets go what may go, and sees to it that the rest is looked after. */
  void dispatch() {
    List<PacedCall> going = new ArrayList<>();
    synchronized (service) {
      long now = pacing.clock.micros();
      timerMicros = timerMicros <= now ? NEVER : timerMicros;
      while (!queue.isEmpty()) {
        long at = nextDispatchMicros(now);
        if (at > now) {
          wakeAt(at, now);
          break;
        }
        PacedCall trip = queue.removeFirst();
        inFlight++;
        lastSentMicros = now;
        quotas.forEach(q -> q.take(now));
        trip.setQuotas(quotas);
        going.add(trip);
      }
    }
    going.forEach(PacedCall::dispatch);
  }

  private long nextDispatchMicros(long now) {
    long at = earliestMicros(now);
    if (at <= now && inFlight >= maxInFlight) {
      if (now < lastSentMicros + SLOW_ANSWER_MICROS) {
        return lastSentMicros + SLOW_ANSWER_MICROS;
      }
      maxInFlight = Math.min(2 * maxInFlight, UNLIMITED_CALLS);
    }
    return at;
  }

  private long earliestMicros(long now) {
    long at = Math.max(now, heldUntilMicros);
    for (QuotaTracker quota : quotas) {
      at = Math.max(at, quota.earliestMicros(now));
    }
    return at;
  }

  private void wakeAt(long at, long now) {
    if (at < timerMicros) {
      timerMicros = at;
      pacing.timer.schedule(at - now, this::dispatch);
    }
  }

  /**
   * Learns from an answer.
   *
   * @param pause for how long no call of this lane may go, if it is a refusal
   * @return until when none may go
   */
  long onAnswer(List<QuotaTracker> taken, RateLimitInfo told, long pause) {
    long until;
    synchronized (service) {
      long now = pacing.clock.micros();
      inFlight--;
      taken.forEach(QuotaTracker::onAnswer);
      List<QuotaTracker> met = service.updateQuotas(this, told.limits(), now);
      if (told.isRefusal()) {
        // of many refused together, the first says when: the latest of all would be later for each
        heldUntilMicros =
            now + told.retryAfterMicros() < heldUntilMicros ? heldUntilMicros : now + pause;
        maxInFlight = 1;
      } else {
        maxInFlight = met.isEmpty() ? Math.min(2 * maxInFlight, UNLIMITED_CALLS) : UNLIMITED_CALLS;
      }
      // what a failing service leaves out still holds
      quotas = met.isEmpty() && told.status() >= 400 ? quotas : met;
      until = heldUntilMicros;
    }
    dispatch();
    return until;
  }

  /** Notes that a call brought no answer. */
  void onNoAnswer(List<QuotaTracker> taken) {
    synchronized (service) {
      inFlight--;
      taken.forEach(QuotaTracker::onNoAnswer);
    }
    dispatch();
  }
}
