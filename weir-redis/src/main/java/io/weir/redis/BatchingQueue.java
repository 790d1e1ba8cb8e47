package io.weir.redis;

import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.RemoteStore;
import io.weir.internal.store.StoreException;
import io.weir.internal.store.nodes.HeldSlots;
import io.weir.internal.store.nodes.RefusalCache;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
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
 * Queues the requests to one shard and sends them in batches. A single request is sent at once.
 * Requests that arrive while calls are in flight are sent in two batches of about equal size, so
 * that the server always works on one while the other is on the network.
 *
 * <p>One thread at a time drains the queue: a thread that submits a request, or the thread that
 * delivers a reply. The latter keeps draining while it completes the callers' futures, so that
 * their next requests share a batch. No thread blocks to drain.
 */
final class BatchingQueue implements RemoteStore {
  private static final int MAX_CONCURRENT_CALLS = 2;
  private static final int MIN_SECOND_BATCH_SIZE = 16;
  private static final int MAX_BATCH_SIZE = 512;

  /**
   * Shared by all queues of a store.
   *
   * @param timer the clock of the StoreFailureGuard
   * @param clock the node's clock, which never steps back
   * @param storeClock the clock to decide by, if not the server's own
   * @param maxInFlight the maximum number of requests in flight per queue
   * @param callNumbers numbers every call, so that no reply is taken for the reply to another call
   */
  record BatchingContext(
      RedisConnection connection,
      Clock timer,
      Clock clock,
      @Nullable Clock storeClock,
      int maxInFlight,
      AtomicInteger callNumbers,
      RefusalCache refusals,
      HeldSlots slots,
      IntConsumer onCorruptStates,
      ConcurrentLinkedQueue<RedisBatch> spareBatches) {}

  private final byte[] shardKey;
  private final RedisLayout layout;
  private final BatchingContext context;
  private final RedisExpirySweeper sweeper;
  private final AtomicReference<@Nullable PendingDecision> arrived = new AtomicReference<>();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final AtomicReferenceArray<@Nullable RedisBatch> batchesInFlight =
      new AtomicReferenceArray<>(MAX_CONCURRENT_CALLS);
  private final AtomicLongArray dispatchedMicros = new AtomicLongArray(MAX_CONCURRENT_CALLS);
  private final AtomicInteger requestsInFlight = new AtomicInteger();
  private volatile boolean replyArrived;

  /**
   * Whether a call that takes slots of in-flight limits has no reply: what this node holds is only
   * known when it has, so further such requests wait.
   */
  private volatile boolean slotCallInFlight;

  /* Accessed only by the draining thread. */
  private final ArrayDeque<PendingDecision> ready = new ArrayDeque<>();

  BatchingQueue(byte[] shardKey, RedisLayout layout, BatchingContext context) {
    this.shardKey = shardKey;
    this.layout = layout;
    this.context = context;
    sweeper = new RedisExpirySweeper(shardKey, layout.keySuffixBytes(), context);
    for (int i = 0; i < MAX_CONCURRENT_CALLS; i++) {
      dispatchedMicros.set(i, NO_REPLY_PENDING);
    }
  }

  @Override
  public Fingerprint fingerprint() {
    return layout.fingerprint();
  }

  @Override
  public void submit(PendingDecision request) {
    if (request.claims().length > RedisBatch.MAX_CLAIMS) {
      request.fail(
          new StoreException(
              StoreFailureKind.ERROR,
              "a request must have at most " + RedisBatch.MAX_CLAIMS + " limits"));
      return;
    }
    PendingDecision last;
    do {
      last = arrived.get();
      request.next = last;
    } while (!arrived.compareAndSet(last, request));
    if (!draining.get() && draining.compareAndSet(false, true)) {
      drain();
    }
  }

  /** Sends batches, and repeats if requests or replies arrived before it stopped draining. */
  private void drain() {
    do {
      replyArrived = false;
      collectArrived();
      for (int callSlot = freeCallSlot();
          callSlot >= 0 && shouldSendNow();
          callSlot = freeCallSlot()) {
        sendBatch(callSlot);
      }
      draining.set(false);
    } while ((replyArrived || arrived.get() != null) && draining.compareAndSet(false, true));
  }

  /** Appends the arrived requests, which are a stack, to the ready queue in arrival order. */
  private void collectArrived() {
    PendingDecision inOrder = null;
    for (PendingDecision request = arrived.getAndSet(null); request != null; ) {
      PendingDecision earlier = request.next;
      request.next = inOrder;
      inOrder = request;
      request = earlier;
    }
    for (; inOrder != null; inOrder = inOrder.next) {
      ready.add(inOrder);
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

  /** Removes some expired counters, if there may be any. */
  void sweepIfDue() {
    sweeper.sweepIfDue();
  }

  private boolean shouldSendNow() {
    PendingDecision first = ready.peek();
    if (first == null || requestsInFlight.get() >= context.maxInFlight() || mustWait(first)) {
      return false;
    }
    return requestsInFlight.get() == 0 || ready.size() >= MIN_SECOND_BATCH_SIZE;
  }

  private boolean mustWait(PendingDecision request) {
    return slotCallInFlight && !request.isSettled() && HeldSlots.isUsedBy(request.claims());
  }

  private void sendBatch(int callSlot) {
    int total = ready.size() + requestsInFlight.get();
    int share =
        Math.max(MIN_SECOND_BATCH_SIZE, (total + MAX_CONCURRENT_CALLS - 1) / MAX_CONCURRENT_CALLS);
    int maxRequests =
        Math.min(Math.min(share, MAX_BATCH_SIZE), context.maxInFlight() - requestsInFlight.get());
    RedisBatch spare = context.spareBatches().poll();
    RedisBatch batch = spare == null ? new RedisBatch(context.slots()) : spare;
    while (batch.requestCount() < maxRequests && !batch.isFull() && !ready.isEmpty()) {
      if (mustWait(ready.element())) {
        break;
      }
      PendingDecision request = ready.remove();
      if (!request.isSettled()) { // otherwise its deadline has passed: it must not be charged
        batch.add(request);
      }
    }
    if (batch.requestCount() == 0) {
      context.spareBatches().add(batch);
      return;
    }
    Clock storeClock = context.storeClock();
    if (batch.usesSlots) {
      slotCallInFlight = true;
    }
    batch.callNumber = context.callNumbers().incrementAndGet();
    batch.sentMicros = context.clock().micros();
    requestsInFlight.addAndGet(batch.requestCount());
    batchesInFlight.set(callSlot, batch);
    long now = storeClock == null ? 0 : storeClock.micros();
    byte[][] arguments = batch.encoder.encodeArguments(now, layout);
    context
        .connection()
        .call(shardKey, arguments, (reply, failure) -> onReply(callSlot, batch, reply, failure));
    // Set after the call: a delay of this thread must not count as a delay of the server.
    dispatchedMicros.set(callSlot, context.timer().micros());
    if (batchesInFlight.get(callSlot) != batch) {
      dispatchedMicros.set(callSlot, NO_REPLY_PENDING); // the reply has already arrived
    }
  }

  private void onReply(
      int callSlot, RedisBatch batch, byte @Nullable [] reply, @Nullable StoreException failure) {
    boolean startedDraining = draining.compareAndSet(false, true);
    try {
      batchesInFlight.set(callSlot, null);
      dispatchedMicros.set(callSlot, NO_REPLY_PENDING);
      requestsInFlight.addAndGet(-batch.requestCount());
      completeBatch(batch, reply, failure);
      if (batch.usesSlots) {
        slotCallInFlight = false;
      }
      batch.clear();
      context.spareBatches().add(batch);
    } finally {
      replyArrived = true;
      if (startedDraining || draining.compareAndSet(false, true)) {
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
        throw new StoreException(StoreFailureKind.GARBLED, "the reply is empty");
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
    } catch (RuntimeException e) { // a state that no algorithm produces; the queue must go on
      batch.fail(new StoreException(StoreFailureKind.GARBLED, "the reply is invalid: " + e));
    }
  }
}
