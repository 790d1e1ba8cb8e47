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

  /**
   * @param deadline how long a decision may take
   * @param spike above which latency it answers exact rules from what it knows; zero for never
   */
  Node(RuleSource rules, Clock clock, Alarm alarm, Wire wire, Duration deadline, Duration spike) {
    this.wire = wire;
    guard = new Guard(clock, deadline, MAX_WAITING, StoreListener.NONE, alarm);
    store = new RoutedStore(guard.over(wire), guard, alarm, spike);
    limiter = Weir.limiter(rules).store(store).clock(clock).build();
    probe(alarm);
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
