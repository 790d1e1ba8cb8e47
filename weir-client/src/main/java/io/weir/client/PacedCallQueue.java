package io.weir.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The queue of the calls of one class to one service, in order of arrival. A call is dispatched
 * when its limits have permits available and the service has not asked to wait. Guarded by the
 * monitor of its {@link ServiceState}; dispatched calls are completed outside of it.
 *
 * <p>Initially, and after every refusal, the limits are unknown: one call is dispatched, two after
 * a successful answer, then four, and so on; once an answer reports limits, as many as these allow.
 * So a thousand calls that start or were held together are not sent at the same time. If the
 * service takes more than a second to answer, further calls are dispatched without waiting.
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

  PacedCallQueue(Pacing pacing, ServiceState service, String callClass) {
    this.pacing = pacing;
    this.service = service;
    this.callClass = callClass;
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
   * Queues a call; a retry goes before the calls that have never been sent.
   *
   * @return 0 if the call was queued; otherwise its estimated time, which is after its deadline
   */
  long enqueue(PacedCall call, boolean retried) {
    synchronized (service) {
      long now = pacing.clock.micros();
      long gap = quotas.stream().mapToLong(q -> q.gapMicros(now)).max().orElse(0);
      long expected = earliestMicros(now) + (retried ? 0 : gap * queue.size());
      if (expected > call.deadlineMicros()) {
        return expected;
      }
      if (retried) {
        queue.addFirst(call);
      } else {
        queue.addLast(call);
      }
    }
    dispatch();
    return 0;
  }

  void remove(PacedCall call) {
    synchronized (service) {
      queue.remove(call);
    }
  }

  /** Dispatches the calls that may be sent now and schedules the next run for the others. */
  void dispatch() {
    List<PacedCall> dispatched = new ArrayList<>();
    synchronized (service) {
      long now = pacing.clock.micros();
      timerMicros = timerMicros <= now ? NEVER : timerMicros;
      while (!queue.isEmpty()) {
        long at = nextDispatchMicros(now);
        if (at > now) {
          wakeAt(at, now);
          break;
        }
        PacedCall call = queue.removeFirst();
        inFlight++;
        lastSentMicros = now;
        quotas.forEach(q -> q.take(now));
        call.setQuotas(quotas);
        dispatched.add(call);
      }
    }
    dispatched.forEach(PacedCall::dispatch);
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
   * Updates the limits from an answer.
   *
   * @param holdMicros how long no call of this queue may be sent, if the answer is a refusal
   * @return the time until which no call may be sent
   */
  long onAnswer(List<QuotaTracker> taken, RateLimitInfo answer, long holdMicros) {
    long until;
    synchronized (service) {
      long now = pacing.clock.micros();
      inFlight--;
      taken.forEach(QuotaTracker::onAnswer);
      List<QuotaTracker> known = service.updateQuotas(this, answer.limits(), now);
      if (answer.isRefusal()) {
        // of many concurrent refusals the first counts: the latest would move on with each of them
        heldUntilMicros =
            now + answer.retryAfterMicros() < heldUntilMicros ? heldUntilMicros : now + holdMicros;
        maxInFlight = 1;
      } else {
        maxInFlight =
            known.isEmpty() ? Math.min(2 * maxInFlight, UNLIMITED_CALLS) : UNLIMITED_CALLS;
      }
      // limits that an error response does not mention still apply
      quotas = known.isEmpty() && answer.status() >= 400 ? quotas : known;
      until = heldUntilMicros;
    }
    dispatch();
    return until;
  }

  /** Releases the quotas of a call that received no answer. */
  void onNoAnswer(List<QuotaTracker> taken) {
    synchronized (service) {
      inFlight--;
      taken.forEach(QuotaTracker::onNoAnswer);
    }
    dispatch();
  }
}
