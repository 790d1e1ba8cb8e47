package io.weir.lab.world;

import io.weir.store.ClaimOutcome;
import io.weir.store.MemoryStore;
import io.weir.store.PendingDecision;
import java.util.function.Consumer;

/**
 * The store that nodes share: a memory store at the other end of their wires, which may be slow,
 * freeze, restart, or have its clock set. Its time is the timeline's until then.
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
  private StoreDecisionListener listener = (ask, outcomes, now) -> {};

  /** Hears what was decided. */
  @FunctionalInterface
  public interface StoreDecisionListener {
    void onDecision(PendingDecision ask, ClaimOutcome[] outcomes, long now);
  }

  SimulatedStoreServer(Timeline time) {
    this.timeline = time;
    counters = new MemoryStore(() -> time.micros() + clockOffsetMicros, STORE_BYTES);
  }

  /** What it counts, to be looked at. */
  public MemoryStore counters() {
    return counters;
  }

  public void setListener(StoreDecisionListener one) {
    listener = one;
  }

  /** Answers nothing for a while; what was asked meanwhile it answers then. */
  public void freeze(long micros) {
    frozenUntilMicros = Math.max(frozenUntilMicros, timeline.micros() + micros);
  }

  /** Sets the clock forward, or back if negative. */
  public void adjustClock(long micros) {
    clockOffsetMicros += micros;
  }

  /** Takes so long for each decision from now on. */
  public void setServiceMicros(long micros) {
    serviceMicros = micros;
  }

  /** Stops, and is back after a while with all it had counted; what it was asked is lost. */
  public void restart(long micros) {
    restarts++;
    idleFromMicros = 0;
    freeze(micros);
  }

  /** Decides in turn, and has the answer sent. */
  void serve(PendingDecision ask, Consumer<ClaimOutcome[]> reply) {
    int asked = restarts;
    long at =
        Math.max(Math.max(timeline.micros(), frozenUntilMicros), idleFromMicros) + serviceMicros;
    idleFromMicros = at;
    timeline.scheduleAt(
        at,
        () -> {
          if (asked == restarts) {
            long now = timeline.micros();
            ClaimOutcome[] said =
                counters
                    .apply(ask.claims(), ask.operation(), ask.chargeTime(now + clockOffsetMicros))
                    .join();
            listener.onDecision(ask, said, now);
            reply.accept(said);
          }
        });
  }
}
