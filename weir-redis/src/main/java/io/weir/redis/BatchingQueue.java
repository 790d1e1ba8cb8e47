package io.weir.redis;

import io.weir.rule.Fingerprint;
import io.weir.store.Clock;
import io.weir.store.PendingDecision;
import io.weir.store.RemoteStore;
import io.weir.store.StoreException;
import io.weir.store.StoreException.StoreFailureKind;
import io.weir.store.nodes.RefusalCache;
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
final class BatchingQueue implements RemoteStore {
  private static final int MAX_CONCURRENT_CALLS = 2;
  private static final int MIN_SECOND_BATCH_SIZE = 16;
  private static final int MAX_BATCH_SIZE = 512;

  /**
   * What all lanes of a store share.
   *
   * @param timer the guard's clock
   * @param clock the node's clock, which never steps back
   * @param storeClock the time to decide by, where it is not the server's own
   * @param maxInFlight how many requests may be sent and unanswered, on each lane
   * @param callNumbers names every call, so that no answer is taken for that to another
   */
  record BatchingContext(
      RedisConnection connection,
      Clock timer,
      Clock clock,
      @Nullable Clock storeClock,
      int maxInFlight,
      AtomicInteger callNumbers,
      RefusalCache refusals,
      IntConsumer onCorruptStates,
      ConcurrentLinkedQueue<RedisBatch> spareBatches) {}

  private final byte[] shardKey;
  private final RedisLayout layout;
  private final BatchingContext context;
  private final ExpirySweeper sweeper;
  private final AtomicReference<@Nullable PendingDecision> arrived = new AtomicReference<>();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final AtomicReferenceArray<@Nullable RedisBatch> batchesInFlight =
      new AtomicReferenceArray<>(MAX_CONCURRENT_CALLS);
  private final AtomicLongArray dispatchedMicros = new AtomicLongArray(MAX_CONCURRENT_CALLS);
  private final AtomicInteger requestsInFlight = new AtomicInteger();
  private volatile boolean replyArrived;

  /* Only whoever has the turn touches it. */
  private final ArrayDeque<PendingDecision> ready = new ArrayDeque<>();

  BatchingQueue(byte[] shelf, RedisLayout setup, BatchingContext shared) {
    this.shardKey = shelf;
    this.layout = setup;
    this.context = shared;
    sweeper = new ExpirySweeper(shelf, setup.keySuffixBytes(), shared);
    for (int i = 0; i < MAX_CONCURRENT_CALLS; i++) {
      dispatchedMicros.set(i, NO_REPLY_PENDING);
    }
  }

  @Override
  public Fingerprint fingerprint() {
    return layout.fingerprint();
  }

  @Override
  public void submit(PendingDecision ask) {
    if (ask.claims().length > RedisBatch.MAX_CLAIMS) {
      ask.fail(
          new StoreException(
              StoreFailureKind.ERROR,
              "a request is held against more than " + RedisBatch.MAX_CLAIMS + " limits"));
      return;
    }
    PendingDecision last;
    do {
      last = arrived.get();
      ask.next = last;
    } while (!arrived.compareAndSet(last, ask));
    if (!draining.get() && draining.compareAndSet(false, true)) {
      drain();
    }
  }

  /** Sends what can be sent, and gives up the turn, until nobody has come meanwhile. */
  private void drain() {
    do {
      replyArrived = false;
      collectArrived();
      for (int place = freeCallSlot(); place >= 0 && shouldSendNow(); place = freeCallSlot()) {
        sendBatch(place);
      }
      draining.set(false);
    } while ((replyArrived || arrived.get() != null) && draining.compareAndSet(false, true));
  }

  /** Moves who has arrived, the last first, to the end of those who are ready. */
  private void collectArrived() {
    PendingDecision ordered = null;
    for (PendingDecision ask = arrived.getAndSet(null); ask != null; ) {
      PendingDecision earlier = ask.next;
      ask.next = ordered;
      ordered = ask;
      ask = earlier;
    }
    for (; ordered != null; ordered = ordered.next) {
      ready.add(ordered);
    }
  }

  @Override
  public long awaitingReplySince() {
    long oldest = NO_REPLY_PENDING;
    for (int i = 0; i < MAX_CONCURRENT_CALLS; i++) {
      oldest = Math.min(oldest, dispatchedMicros.get(i));
    }
    return oldest;
  }

  private int freeCallSlot() {
    for (int i = 0; i < MAX_CONCURRENT_CALLS; i++) {
      RedisBatch batch = batchesInFlight.get(i);
      if (batch == null) {
        return i;
      }
    }
    return -1;
  }

  /** Forgets a little. */
  void sweepIfDue() {
    sweeper.sweepIfDue();
  }

  private boolean shouldSendNow() {
    if (ready.isEmpty() || requestsInFlight.get() >= context.maxInFlight()) {
      return false;
    }
    return requestsInFlight.get() == 0 || ready.size() >= MIN_SECOND_BATCH_SIZE;
  }

  private void sendBatch(int place) {
    int all = ready.size() + requestsInFlight.get();
    int share =
        Math.max(MIN_SECOND_BATCH_SIZE, (all + MAX_CONCURRENT_CALLS - 1) / MAX_CONCURRENT_CALLS);
    int most =
        Math.min(Math.min(share, MAX_BATCH_SIZE), context.maxInFlight() - requestsInFlight.get());
    RedisBatch spare = context.spareBatches().poll();
    RedisBatch batch = spare == null ? new RedisBatch() : spare;
    while (batch.requestCount() < most && !batch.isFull() && !ready.isEmpty()) {
      PendingDecision ask = ready.remove();
      if (!ask.isSettled()) { // else its deadline has passed: it must not be charged any more
        batch.add(ask);
      }
    }
    if (batch.requestCount() == 0) {
      context.spareBatches().add(batch);
      return;
    }
    Clock storeClock = context.storeClock();
    batch.callNumber = context.callNumbers().incrementAndGet();
    batch.sentMicros = context.clock().micros();
    requestsInFlight.addAndGet(batch.requestCount());
    batchesInFlight.set(place, batch);
    long now = storeClock == null ? 0 : storeClock.micros();
    byte[][] arguments = batch.encoder.encodeArguments(now, layout);
    context
        .connection()
        .call(shardKey, arguments, (reply, failure) -> onReply(place, batch, reply, failure));
    // Only now: a thread that is held up on its way to the socket is no silence of the server.
    dispatchedMicros.set(place, context.timer().micros());
    if (batchesInFlight.get(place) != batch) {
      dispatchedMicros.set(place, NO_REPLY_PENDING); // the reply was quicker
    }
  }

  private void onReply(
      int place, RedisBatch batch, byte @Nullable [] reply, @Nullable StoreException failure) {
    boolean hasTurn = draining.compareAndSet(false, true);
    try {
      batchesInFlight.set(place, null);
      dispatchedMicros.set(place, NO_REPLY_PENDING);
      requestsInFlight.addAndGet(-batch.requestCount());
      completeBatch(batch, reply, failure);
      batch.clear();
      context.spareBatches().add(batch);
    } finally {
      replyArrived = true;
      if (hasTurn || draining.compareAndSet(false, true)) {
        drain();
      }
    }
  }

  private void completeBatch(
      RedisBatch batch, byte @Nullable [] reply, @Nullable StoreException failure) {
    if (failure != null) {
      batch.fail(failure);
      return;
    }
    try {
      if (reply == null) {
        throw new StoreException(StoreFailureKind.GARBLED, "it answered nothing");
      }
      RedisBatch.BatchResult answer =
          batch.complete(reply, context.refusals(), context.timer().micros());
      if (answer.corruptStates() > 0) {
        context.onCorruptStates().accept(answer.corruptStates());
      }
      sweeper.onInserted(answer.newCounters());
    } catch (StoreException garbled) {
      context.connection().drop(garbled.reason());
      batch.fail(garbled);
    } catch (RuntimeException e) { // a state no algorithm can have left; the turn must go on
      batch.fail(new StoreException(StoreFailureKind.GARBLED, "its answer makes no sense: " + e));
    }
  }
}
