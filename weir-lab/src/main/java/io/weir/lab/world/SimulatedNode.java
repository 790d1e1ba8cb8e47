package io.weir.lab.world;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.Scheduler;
import io.weir.store.StoreFailureGuard;
import io.weir.store.StoreListener;
import io.weir.store.nodes.RoutingStore;
import java.time.Duration;

/** One node as it is in production, but for its clock, its alarm and its wire. */
public final class SimulatedNode {
  private static final int MAX_PENDING_DECISIONS = 100_000;
  private static final long PROBE_INTERVAL_MICROS = 100_000;

  private final SimulatedLink link;
  private final StoreFailureGuard guard;
  private final RoutingStore store;
  private final Limiter limiter;
  private final Scheduler scheduler;
  private final Clock clock;
  private boolean dead;
  private long stalledUntilMicros;

  /**
   * @param deadline how long a decision may take
   * @param spike above which latency it answers exact rules from what it knows; zero for never
   */
  SimulatedNode(
      RuleSource rules,
      Clock clock,
      Scheduler alarm,
      SimulatedLink wire,
      Duration deadline,
      Duration spike) {
    this.link = wire;
    this.scheduler = alarm;
    this.clock = clock;
    Scheduler mortal = (micros, task) -> alarm.schedule(micros, () -> runWhenAlive(task));
    guard =
        new StoreFailureGuard(clock, deadline, MAX_PENDING_DECISIONS, StoreListener.NONE, mortal);
    store = new RoutingStore(guard.wrap(wire), guard, mortal, spike);
    limiter = Weir.limiter(rules).store(store).clock(clock).build();
    scheduleProbe(mortal);
  }

  /** Runs a task unless this node is dead; one that stands still does so when it goes on. */
  private void runWhenAlive(Runnable task) {
    if (isStalled()) {
      scheduler.schedule(stalledUntilMicros - clock.micros(), () -> runWhenAlive(task));
    } else if (!dead) {
      task.run();
    }
  }

  /** Stands still for a while, as in a garbage collection: no timer runs, no reply is read. */
  public void stall(long micros) {
    stalledUntilMicros = Math.max(stalledUntilMicros, clock.micros() + micros);
    link.stall(micros);
  }

  public boolean isStalled() {
    return clock.micros() < stalledUntilMicros;
  }

  /** As the server does, for a store that nobody asks. */
  private void scheduleProbe(Scheduler alarm) {
    alarm.schedule(
        PROBE_INTERVAL_MICROS,
        () -> {
          guard.probe();
          scheduleProbe(alarm);
        });
  }

  /** Ends it at once, with all that it had borrowed or not reported. */
  public void kill() {
    dead = true;
    link.startOutage(SimulatedLink.LinkOutage.SILENT, Long.MAX_VALUE / 2);
  }

  public boolean isDead() {
    return dead;
  }

  public Limiter limiter() {
    return limiter;
  }

  public SimulatedLink link() {
    return link;
  }

  /** Permits borrowed and not spent. */
  public long leasedPermits() {
    return store.leasedPermits();
  }

  /** Permits admitted and not told. */
  public long unsyncedPermits() {
    return store.unsyncedPermits();
  }
}
