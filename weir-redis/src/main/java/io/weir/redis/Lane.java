package io.weir.redis;

import io.weir.rule.Fingerprint;
import io.weir.store.Ask;
import io.weir.store.Clock;
import io.weir.store.Remote;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import io.weir.store.nodes.Refusals;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests to one shelf. A lone one is sent at once; those that come while calls are under way
 * travel together, in two batches of about equal size, so that the server always has one to work on
 * while the other is on the road.
 *
 * <p>Whoever has the turn forms batches and sends them: a thread that asks, or the one that brings
 * an answer, which keeps the turn while it tells the callers, so that what they ask next travels
 * together too. Nobody waits for the turn.
 */
final class Lane implements Remote {
  private static final int FLIGHTS = 2;
  private static final int WORTH_A_SECOND = 16;
  private static final int MOST = 512;

  /**
   * What all lanes of a store share.
   *
   * @param timer the guard's clock
   * @param clock the node's clock, which never steps back
   * @param storeClock the time to decide by, where it is not the server's own
   * @param maxInFlight how many requests may be sent and unanswered, on each lane
   * @param numbers names every call, so that no answer is taken for that to another
   */
  record Shared(
      Link link,
      Clock timer,
      Clock clock,
      @Nullable Clock storeClock,
      int maxInFlight,
      AtomicInteger numbers,
      Refusals refusals,
      IntConsumer corrupt,
      ConcurrentLinkedQueue<Batch> spare) {}

  private final byte[] shelf;
  private final Setup setup;
  private final Shared shared;
  private final Sweeper sweeper;
  private final AtomicReference<@Nullable Ask> arrived = new AtomicReference<>();
  private final AtomicBoolean turn = new AtomicBoolean();
  private final AtomicReferenceArray<@Nullable Batch> flying = new AtomicReferenceArray<>(FLIGHTS);
  private final AtomicLongArray dispatched = new AtomicLongArray(FLIGHTS);
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile boolean landed;

  /* Only whoever has the turn touches it. */
  private final ArrayDeque<Ask> ready = new ArrayDeque<>();

  Lane(byte[] shelf, Setup setup, Shared shared) {
    this.shelf = shelf;
    this.setup = setup;
    this.shared = shared;
    sweeper = new Sweeper(shelf, setup.restBytes(), shared);
    for (int i = 0; i < FLIGHTS; i++) {
      dispatched.set(i, NOTHING);
    }
  }

  @Override
  public Fingerprint fingerprint() {
    return setup.fingerprint();
  }

  @Override
  public void ask(Ask ask) {
    if (ask.claims().length > Batch.MAX_CLAIMS) {
      ask.fail(
          new StoreException(
              Kind.ERROR, "a request is held against more than " + Batch.MAX_CLAIMS + " limits"));
      return;
    }
    Ask last;
    do {
      last = arrived.get();
      ask.next = last;
    } while (!arrived.compareAndSet(last, ask));
    if (!turn.get() && turn.compareAndSet(false, true)) {
      work();
    }
  }

  /** Sends what can be sent, and gives up the turn, until nobody has come meanwhile. */
  private void work() {
    do {
      landed = false;
      collect();
      for (int place = free(); place >= 0 && isWorthSending(); place = free()) {
        send(place);
      }
      turn.set(false);
    } while ((landed || arrived.get() != null) && turn.compareAndSet(false, true));
  }

  /** Moves who has arrived, the last first, to the end of those who are ready. */
  private void collect() {
    Ask ordered = null;
    for (Ask ask = arrived.getAndSet(null); ask != null; ) {
      Ask earlier = ask.next;
      ask.next = ordered;
      ordered = ask;
      ask = earlier;
    }
    for (; ordered != null; ordered = ordered.next) {
      ready.add(ordered);
    }
  }

  @Override
  public long awaitingSince() {
    long oldest = NOTHING;
    for (int i = 0; i < FLIGHTS; i++) {
      oldest = Math.min(oldest, dispatched.get(i));
    }
    return oldest;
  }

  private int free() {
    for (int i = 0; i < FLIGHTS; i++) {
      Batch batch = flying.get(i);
      if (batch == null) {
        return i;
      }
    }
    return -1;
  }

  /** Forgets a little. */
  void tick() {
    sweeper.tick();
  }

  private boolean isWorthSending() {
    if (ready.isEmpty() || inFlight.get() >= shared.maxInFlight()) {
      return false;
    }
    return inFlight.get() == 0 || ready.size() >= WORTH_A_SECOND;
  }

  private void send(int place) {
    int all = ready.size() + inFlight.get();
    int share = Math.max(WORTH_A_SECOND, (all + FLIGHTS - 1) / FLIGHTS);
    int most = Math.min(Math.min(share, MOST), shared.maxInFlight() - inFlight.get());
    Batch spare = shared.spare().poll();
    Batch batch = spare == null ? new Batch() : spare;
    while (batch.asks() < most && !batch.isFull() && !ready.isEmpty()) {
      Ask ask = ready.remove();
      if (!ask.isSettled()) { // else its deadline has passed: it must not be charged any more
        batch.add(ask);
      }
    }
    if (batch.asks() == 0) {
      shared.spare().add(batch);
      return;
    }
    Clock storeClock = shared.storeClock();
    batch.number = shared.numbers().incrementAndGet();
    batch.sent = shared.clock().micros();
    inFlight.addAndGet(batch.asks());
    flying.set(place, batch);
    long now = storeClock == null ? 0 : storeClock.micros();
    byte[][] arguments = batch.wording.arguments(now, setup);
    shared.link().call(shelf, arguments, (reply, failure) -> landed(place, batch, reply, failure));
    // Only now: a thread that is held up on its way to the socket is no silence of the server.
    dispatched.set(place, shared.timer().micros());
    if (flying.get(place) != batch) {
      dispatched.set(place, NOTHING); // the reply was quicker
    }
  }

  private void landed(
      int place, Batch batch, byte @Nullable [] reply, @Nullable StoreException failure) {
    boolean hasTurn = turn.compareAndSet(false, true);
    try {
      flying.set(place, null);
      dispatched.set(place, NOTHING);
      inFlight.addAndGet(-batch.asks());
      tell(batch, reply, failure);
      batch.clear();
      shared.spare().add(batch);
    } finally {
      landed = true;
      if (hasTurn || turn.compareAndSet(false, true)) {
        work();
      }
    }
  }

  private void tell(Batch batch, byte @Nullable [] reply, @Nullable StoreException failure) {
    if (failure != null) {
      batch.fail(failure);
      return;
    }
    try {
      if (reply == null) {
        throw new StoreException(Kind.GARBLED, "it answered nothing");
      }
      Batch.Answer answer = batch.settle(reply, shared.refusals(), shared.timer().micros());
      if (answer.corrupt() > 0) {
        shared.corrupt().accept(answer.corrupt());
      }
      sweeper.inserted(answer.inserted());
    } catch (StoreException garbled) {
      shared.link().drop(garbled.reason());
      batch.fail(garbled);
    } catch (RuntimeException e) { // a state no algorithm can have left; the turn must go on
      batch.fail(new StoreException(Kind.GARBLED, "its answer makes no sense: " + e));
    }
  }
}
