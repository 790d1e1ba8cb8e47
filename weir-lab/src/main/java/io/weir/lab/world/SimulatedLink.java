package io.weir.lab.world;

import io.weir.rule.Fingerprint;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.PendingDecision;
import io.weir.store.RemoteStore;
import io.weir.store.StoreException;
import io.weir.store.StoreException.StoreFailureKind;
import java.util.Random;

/**
 * The way from one node to the store and back. Messages of one direction never overtake each other,
 * but may be late or lost, and the way may be cut.
 */
public final class SimulatedLink implements RemoteStore {

  /** What becomes of messages while the way is cut. */
  public enum LinkOutage {
    /** They are lost, and nobody is told. */
    SILENT,
    /** The node is told that nobody is there; what is under way is lost. */
    REFUSED,
    /** They arrive once the way is open again. */
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
   * @param clock the node's
   */
  SimulatedLink(
      Timeline time,
      Random random,
      SimulatedStoreServer server,
      Fingerprint fingerprint,
      Clock clock,
      NetworkConditions weather) {
    this.timeline = time;
    this.random = random;
    this.server = server;
    this.fingerprint = fingerprint;
    this.clock = clock;
    this.conditions = weather;
  }

  public NetworkConditions conditions() {
    return conditions;
  }

  public void conditions(NetworkConditions one) {
    conditions = one;
  }

  /** Cuts the way for a while. */
  public void startOutage(LinkOutage how, long micros) {
    outage = how;
    outageUntilMicros = timeline.micros() + micros;
  }

  private boolean isDown() {
    return timeline.micros() < outageUntilMicros;
  }

  @Override
  public void submit(PendingDecision ask) {
    if (isDown() && outage == LinkOutage.REFUSED) {
      ask.fail(new StoreException(StoreFailureKind.UNREACHABLE, "the way is cut"));
      return;
    }
    if (isDelivered()) {
      lastRequestArrivalMicros = arrivalMicros(lastRequestArrivalMicros);
      timeline.scheduleAt(
          lastRequestArrivalMicros, () -> server.serve(ask, said -> sendReply(ask, said)));
    }
  }

  private void sendReply(PendingDecision ask, ClaimOutcome[] said) {
    if (isDelivered()) {
      lastReplyArrivalMicros = arrivalMicros(lastReplyArrivalMicros);
      timeline.scheduleAt(lastReplyArrivalMicros, () -> deliver(ask, said));
    }
  }

  /** Hands a reply to the node, or leaves it in the socket of one that does not run. */
  private void deliver(PendingDecision ask, ClaimOutcome[] said) {
    if (timeline.micros() < readsFromMicros) {
      timeline.scheduleAt(readsFromMicros, () -> deliver(ask, said));
    } else {
      ask.answer(said, clock.micros());
    }
  }

  /** Has the node read nothing for a while, nor at the moment it goes on: timers come first. */
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
