package io.weir.lab.world;

import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.PendingDecision;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The store that simulated nodes share: a memory store at the other end of their links. It can be
 * slow, freeze, restart or have its clock set; by default its clock is the timeline.
 */
public final class SimulatedStoreServer {
  private static final long STORE_BYTES = 32L << 20;

  private final Timeline timeline;
  private final MemoryStore counters;
  private long frozenUntilMicros;
  private long serviceMicros;
  private long idleFromMicros;
  private int restarts;
  private long clockOffsetMicros;
  private final SimulatedSlots slots = new SimulatedSlots();
  private SlotCallListener slotListener = (call, outcomes, nowMicros) -> {};
  private StoreDecisionListener listener = (decision, outcomes, nowMicros) -> {};

  /** Is notified of each decision of the store. */
  @FunctionalInterface
  public interface StoreDecisionListener {
    void onDecision(PendingDecision decision, ClaimOutcome[] outcomes, long nowMicros);
  }

  /** Is notified of each decision on in-flight limits. */
  @FunctionalInterface
  public interface SlotCallListener {
    void onDecision(SlotCall call, ClaimOutcome[] outcomes, long nowMicros);
  }

  public void setSlotListener(SlotCallListener newListener) {
    slotListener = newListener;
  }

  SimulatedStoreServer(Timeline time) {
    this.timeline = time;
    counters = new MemoryStore(() -> time.micros() + clockOffsetMicros, STORE_BYTES);
  }

  /** Returns the memory store with the counters, for checks. */
  public MemoryStore counters() {
    return counters;
  }

  public void setListener(StoreDecisionListener newListener) {
    listener = newListener;
  }

  /** Freezes the server; it answers requests received meanwhile when the freeze is over. */
  public void freeze(long micros) {
    frozenUntilMicros = Math.max(frozenUntilMicros, timeline.micros() + micros);
  }

  /** Moves the clock forward, or back if negative. */
  public void adjustClock(long micros) {
    clockOffsetMicros += micros;
  }

  /** Sets the service time per decision from now on. */
  public void setServiceMicros(long micros) {
    serviceMicros = micros;
  }

  /** Restarts the server; counters are kept, requests in progress are lost. */
  public void restart(long micros) {
    restarts++;
    idleFromMicros = 0;
    freeze(micros);
  }

  /** Decides in order of arrival and sends the reply. */
  void serve(PendingDecision decision, Consumer<ClaimOutcome[]> reply) {
    schedule(
        now -> {
          ClaimOutcome[] outcomes =
              counters
                  .apply(
                      decision.claims(),
                      decision.operation(),
                      decision.chargeTime(now + clockOffsetMicros))
                  .join();
          listener.onDecision(decision, outcomes, now);
          reply.accept(outcomes);
        });
  }

  /** The same for a decision on in-flight limits. */
  void serve(SlotCall call, Consumer<ClaimOutcome[]> reply) {
    schedule(
        now -> {
          ClaimOutcome[] outcomes = slots.decide(call, now + clockOffsetMicros);
          slotListener.onDecision(call, outcomes, now);
          reply.accept(outcomes);
        });
  }

  private void schedule(LongConsumer decision) {
    int restartsBefore = restarts;
    long doneMicros =
        Math.max(Math.max(timeline.micros(), frozenUntilMicros), idleFromMicros) + serviceMicros;
    idleFromMicros = doneMicros;
    timeline.scheduleAt(
        doneMicros,
        () -> {
          if (restartsBefore == restarts) {
            decision.accept(timeline.micros());
          }
        });
  }
}
