package io.weir.lab.world;

import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.RemoteStore;
import io.weir.internal.store.StoreException;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import java.util.Random;

/**
 * The network link between a node and the store. Messages of one direction keep their order, but
 * can be delayed or lost, and the link can be down.
 */
public final class SimulatedLink implements RemoteStore {

  /** What happens to messages while the link is down. */
  public enum LinkOutage {
    /** Messages are lost silently. */
    SILENT,
    /** Requests fail immediately; messages in transit are lost. */
    REFUSED,
    /** Messages are delivered when the link is up again. */
    HELD
  }

  private static final long READ_DELAY_MICROS = 100;

  private final Timeline timeline;
  private final Random random;
  private final SimulatedStoreServer server;
  private final Fingerprint fingerprint;
  private final Clock clock;
  private NetworkConditions conditions;
  private LinkOutage outage = LinkOutage.SILENT;
  private long outageUntilMicros;
  private long lastRequestArrivalMicros;
  private long lastReplyArrivalMicros;
  private long readsFromMicros;

  /**
   * @param clock the clock of the node
   */
  SimulatedLink(
      Timeline time,
      Random random,
      SimulatedStoreServer server,
      Fingerprint fingerprint,
      Clock clock,
      NetworkConditions conditions) {
    this.timeline = time;
    this.random = random;
    this.server = server;
    this.fingerprint = fingerprint;
    this.clock = clock;
    this.conditions = conditions;
  }

  public NetworkConditions conditions() {
    return conditions;
  }

  public void conditions(NetworkConditions newConditions) {
    conditions = newConditions;
  }

  /** Takes the link down for a while. */
  public void startOutage(LinkOutage kind, long micros) {
    outage = kind;
    outageUntilMicros = timeline.micros() + micros;
  }

  private boolean isDown() {
    return timeline.micros() < outageUntilMicros;
  }

  @Override
  public void submit(PendingDecision decision) {
    if (isDown() && outage == LinkOutage.REFUSED) {
      decision.fail(new StoreException(StoreFailureKind.UNREACHABLE, "the link is down"));
      return;
    }
    if (isDelivered()) {
      lastRequestArrivalMicros = arrivalMicros(lastRequestArrivalMicros);
      timeline.scheduleAt(
          lastRequestArrivalMicros,
          () -> server.serve(decision, outcomes -> sendReply(decision, outcomes)));
    }
  }

  private void sendReply(PendingDecision decision, ClaimOutcome[] outcomes) {
    if (isDelivered()) {
      lastReplyArrivalMicros = arrivalMicros(lastReplyArrivalMicros);
      timeline.scheduleAt(lastReplyArrivalMicros, () -> deliver(decision, outcomes));
    }
  }

  /** Delivers a reply to the node; a stalled node reads it from its socket later. */
  private void deliver(PendingDecision decision, ClaimOutcome[] outcomes) {
    if (timeline.micros() < readsFromMicros) {
      timeline.scheduleAt(readsFromMicros, () -> deliver(decision, outcomes));
    } else {
      decision.answer(outcomes, clock.micros());
    }
  }

  /** Delays reading of replies during a stall and a little longer, so that timers run first. */
  void stall(long micros) {
    readsFromMicros = Math.max(readsFromMicros, timeline.micros() + micros + READ_DELAY_MICROS);
  }

  private boolean isDelivered() {
    return !conditions.isLost(random) && (!isDown() || outage == LinkOutage.HELD);
  }

  private long arrivalMicros(long last) {
    long sent = isDown() ? outageUntilMicros : timeline.micros();
    return Math.max(last, sent + conditions.randomDelayMicros(random));
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }
}
