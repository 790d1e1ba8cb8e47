package io.weir.lab.world;

import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.RemoteStore;
import io.weir.internal.store.StoreException;
import io.weir.internal.store.nodes.HeldSlots;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import java.util.ArrayDeque;
import java.util.Random;
import org.jspecify.annotations.Nullable;

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
  private static final long DROP_AFTER_MICROS = 300_000;
  private static final long MAX_LINGER_MICROS = 8_000_000;

  private final Timeline timeline;
  private final Random random;
  private final SimulatedStoreServer server;
  private final Fingerprint fingerprint;
  private final Clock clock;
  private final HeldSlots slots = new HeldSlots(HeldSlots.DEFAULT_LEASE);
  private final ArrayDeque<PendingDecision> waitingSlotDecisions = new ArrayDeque<>();
  private @Nullable SlotCall pendingSlotCall;
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

  /** The slots of in-flight limits that the node holds. */
  HeldSlots slots() {
    return slots;
  }

  @Override
  public void submit(PendingDecision decision) {
    if (isDown() && outage == LinkOutage.REFUSED) {
      decision.fail(new StoreException(StoreFailureKind.UNREACHABLE, "the link is down"));
      return;
    }
    if (HeldSlots.isUsedBy(decision.claims())) {
      waitingSlotDecisions.add(decision);
      sendNextSlotCall();
      return;
    }
    if (isDelivered()) {
      lastRequestArrivalMicros = arrivalMicros(lastRequestArrivalMicros);
      timeline.scheduleAt(
          lastRequestArrivalMicros,
          () -> server.serve(decision, outcomes -> sendReply(decision, outcomes)));
    }
  }

  /** Sends one decision on in-flight limits at a time, like the queue of the Redis store. */
  private void sendNextSlotCall() {
    while (pendingSlotCall == null && !waitingSlotDecisions.isEmpty()) {
      PendingDecision decision = waitingSlotDecisions.remove();
      if (decision.isSettled()) {
        continue;
      }
      SlotCall call = new SlotCall(decision, slots);
      pendingSlotCall = call;
      timeline.schedule(DROP_AFTER_MICROS, () -> dropSlotCall(call));
      if (isDelivered()) {
        timeline.scheduleAt(
            slotCallArrivalMicros(),
            () -> server.serve(call, outcomes -> sendSlotReply(call, outcomes)));
      }
    }
  }

  /** A few calls linger in the buffers of a lost connection, and arrive after later ones. */
  private long slotCallArrivalMicros() {
    if (random.nextInt(100) < 2) {
      return timeline.micros() + (long) (random.nextDouble() * MAX_LINGER_MICROS);
    }
    lastRequestArrivalMicros = arrivalMicros(lastRequestArrivalMicros);
    return lastRequestArrivalMicros;
  }

  private void sendSlotReply(SlotCall call, ClaimOutcome[] outcomes) {
    if (isDelivered()) {
      lastReplyArrivalMicros = arrivalMicros(lastReplyArrivalMicros);
      timeline.scheduleAt(lastReplyArrivalMicros, () -> deliverSlotReply(call, outcomes));
    }
  }

  private void deliverSlotReply(SlotCall call, ClaimOutcome[] outcomes) {
    if (timeline.micros() < readsFromMicros) {
      timeline.scheduleAt(readsFromMicros, () -> deliverSlotReply(call, outcomes));
    } else if (pendingSlotCall == call) { // otherwise its connection was dropped
      slots.answer(call.decision(), outcomes, clock.micros());
      for (int i = 0; i < call.decision().claims().length; i++) {
        slots.confirm(call.decision().claims()[i].key(), call.held(i));
      }
      pendingSlotCall = null;
      sendNextSlotCall();
    }
  }

  /** Drops the connection if a call has no reply for long; replies on their way are lost. */
  private void dropSlotCall(SlotCall call) {
    if (timeline.micros() < readsFromMicros) {
      timeline.scheduleAt(readsFromMicros + 1, () -> dropSlotCall(call));
    } else if (pendingSlotCall == call) {
      pendingSlotCall = null;
      call.decision().fail(new StoreException(StoreFailureKind.TIMEOUT, "no reply"));
      sendNextSlotCall();
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
