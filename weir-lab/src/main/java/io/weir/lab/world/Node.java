package io.weir.lab.world;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.rule.RuleSource;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import io.weir.store.Guard;
import io.weir.store.StoreListener;
import io.weir.store.nodes.RoutedStore;
import java.time.Duration;

/** One node as it is in production, but for its clock, its alarm and its wire. */
public final class Node {
  private static final int MAX_WAITING = 100_000;
  private static final long PROBE_EVERY = 100_000;

  private final Wire wire;
  private final Guard guard;
  private final RoutedStore store;
  private final Limiter limiter;
  private final Alarm alarm;
  private final Clock clock;
  private boolean dead;
  private long stalledUntil;

  /**
   * @param deadline how long a decision may take
   * @param spike above which latency it answers exact rules from what it knows; zero for never
   */
  Node(RuleSource rules, Clock clock, Alarm alarm, Wire wire, Duration deadline, Duration spike) {
    this.wire = wire;
    this.alarm = alarm;
    this.clock = clock;
    Alarm mortal = (micros, task) -> alarm.after(micros, () -> run(task));
    guard = new Guard(clock, deadline, MAX_WAITING, StoreListener.NONE, mortal);
    store = new RoutedStore(guard.over(wire), guard, mortal, spike);
    limiter = Weir.limiter(rules).store(store).clock(clock).build();
    probe(mortal);
  }

  /** Runs a task unless this node is dead; one that stands still does so when it goes on. */
  private void run(Runnable task) {
    if (isStalled()) {
      alarm.after(stalledUntil - clock.micros(), () -> run(task));
    } else if (!dead) {
      task.run();
    }
  }

  /** Stands still for a while, as in a garbage collection: no timer runs, no reply is read. */
  public void stall(long micros) {
    stalledUntil = Math.max(stalledUntil, clock.micros() + micros);
    wire.stall(micros);
  }

  public boolean isStalled() {
    return clock.micros() < stalledUntil;
  }

  /** As the server does, for a store that nobody asks. */
  private void probe(Alarm alarm) {
    alarm.after(
        PROBE_EVERY,
        () -> {
          guard.probe();
          probe(alarm);
        });
  }

  /** Ends it at once, with all that it had borrowed or not reported. */
  public void kill() {
    dead = true;
    wire.cut(Wire.Cut.SILENT, Long.MAX_VALUE / 2);
  }

  public boolean isDead() {
    return dead;
  }

  public Limiter limiter() {
    return limiter;
  }

  public Wire wire() {
    return wire;
  }

  /** Permits borrowed and not spent. */
  public long leased() {
    return store.leased();
  }

  /** Permits admitted and not told. */
  public long untold() {
    return store.untold();
  }
}
