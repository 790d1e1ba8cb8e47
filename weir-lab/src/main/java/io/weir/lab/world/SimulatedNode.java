package io.weir.lab.world;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.Scheduler;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.internal.store.nodes.RoutingStore;
import io.weir.internal.store.nodes.SlotHoldingStore;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;

/** A node with the production classes, but with a simulated clock, scheduler and store link. */
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
   * @param deadline the longest time for a decision
   * @param spikeThreshold the store latency above which exact rules are decided locally; zero for
   *     never
   */
  SimulatedNode(
      RuleSource rules,
      Clock clock,
      Scheduler scheduler,
      SimulatedLink link,
      Duration deadline,
      Duration spikeThreshold) {
    this.link = link;
    this.scheduler = scheduler;
    this.clock = clock;
    Scheduler nodeScheduler =
        (micros, task) -> scheduler.schedule(micros, () -> runWhenAlive(task));
    guard =
        new StoreFailureGuard(
            clock, deadline, MAX_PENDING_DECISIONS, StoreListener.NONE, nodeScheduler);
    ClaimStore shared = new SlotHoldingStore(guard.wrap(link), link.slots());
    store = new RoutingStore(shared, guard, nodeScheduler, spikeThreshold);
    scheduleRenewal(nodeScheduler, shared);
    limiter = Weir.limiter(rules).store(store).clock(clock).build();
    scheduleProbe(nodeScheduler);
  }

  /** Runs a task unless the node is dead; a stalled node runs it when the stall is over. */
  private void runWhenAlive(Runnable task) {
    if (isStalled()) {
      scheduler.schedule(stalledUntilMicros - clock.micros(), () -> runWhenAlive(task));
    } else if (!dead) {
      task.run();
    }
  }

  /** Stalls the node, like a garbage collection pause: no timer runs and no reply is read. */
  public void stall(long micros) {
    stalledUntilMicros = Math.max(stalledUntilMicros, clock.micros() + micros);
    link.stall(micros);
  }

  public boolean isStalled() {
    return clock.micros() < stalledUntilMicros;
  }

  /** Probes the store regularly, as the server does when there are no requests. */
  private void scheduleProbe(Scheduler nodeScheduler) {
    nodeScheduler.schedule(
        PROBE_INTERVAL_MICROS,
        () -> {
          guard.probe();
          scheduleProbe(nodeScheduler);
        });
  }

  /** Renews the lease on slots of in-flight limits four times per lease, like the Redis store. */
  private void scheduleRenewal(Scheduler nodeScheduler, ClaimStore shared) {
    nodeScheduler.schedule(
        link.slots().leaseMicros() / 4,
        () -> {
          link.slots().renew(shared);
          scheduleRenewal(nodeScheduler, shared);
        });
  }

  /** Kills the node; its leased permits and unsynced charges are lost. */
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

  /** Returns the permits leased and not spent. */
  public long leasedPermits() {
    return store.leasedPermits();
  }

  /** Returns the permits admitted and not yet synced to the store. */
  public long unsyncedPermits() {
    return store.unsyncedPermits();
  }
}
