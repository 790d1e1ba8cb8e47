package io.weir.lab.world;

import io.weir.store.Ask;
import io.weir.store.MemoryStore;
import io.weir.store.Outcome;
import java.util.function.Consumer;

/**
 * The store that nodes share: a memory store at the other end of their wires, which may be slow,
 * freeze, restart, or have its clock set. Its time is the timeline's until then.
 */
public final class StoreServer {
  private static final long BYTES = 32L << 20;

  private final Timeline time;
  private final MemoryStore counters;
  private long frozenUntil;
  private long takes;
  private long idleFrom;
  private int run;
  private long ahead;
  private ServedListener listener = (ask, outcomes, now) -> {};

  /** Hears what was decided. */
  @FunctionalInterface
  public interface ServedListener {
    void served(Ask ask, Outcome[] outcomes, long now);
  }

  StoreServer(Timeline time) {
    this.time = time;
    counters = new MemoryStore(() -> time.micros() + ahead, BYTES);
  }

  /** What it counts, to be looked at. */
  public MemoryStore counters() {
    return counters;
  }

  public void listen(ServedListener one) {
    listener = one;
  }

  /** Answers nothing for a while; what was asked meanwhile it answers then. */
  public void freeze(long micros) {
    frozenUntil = Math.max(frozenUntil, time.micros() + micros);
  }

  /** Sets the clock forward, or back if negative. */
  public void setClock(long micros) {
    ahead += micros;
  }

  /** Takes so long for each decision from now on. */
  public void take(long micros) {
    takes = micros;
  }

  /** Stops, and is back after a while with all it had counted; what it was asked is lost. */
  public void restart(long micros) {
    run++;
    idleFrom = 0;
    freeze(micros);
  }

  /** Decides in turn, and has the answer sent. */
  void serve(Ask ask, Consumer<Outcome[]> reply) {
    int asked = run;
    long at = Math.max(Math.max(time.micros(), frozenUntil), idleFrom) + takes;
    idleFrom = at;
    time.at(
        at,
        () -> {
          if (asked == run) {
            long now = time.micros();
            Outcome[] said = counters.take(ask.claims(), ask.mode(), ask.when(now + ahead)).join();
            listener.served(ask, said, now);
            reply.accept(said);
          }
        });
  }
}
