package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.internal.store.StoreException;
import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Removes the expired counters of a shard, a few at a time.
 *
 * <p>Two counters are checked for each one that is added, which keeps up with any inflow. When none
 * are added, a few are checked every second. Where many have expired, sweeps of a few counters
 * alternate with pauses three times as long, until few are left. So memory is freed, and no call
 * takes long.
 */
final class RedisExpirySweeper {
  private static final int COUNTERS_PER_SWEEP = 256;
  private static final int MIN_FIELDS_PER_SCAN = 8;
  private static final int CHECKS_PER_INSERT = 2;
  private static final long MICROS_PER_MILLI = 1000;

  private final byte[] shardKey;
  private final int keySuffixBytes;
  private final BatchingQueue.BatchingContext context;
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicLong pendingChecks = new AtomicLong();
  private final AtomicLong addedSinceScan = new AtomicLong(); // since the last scan
  private volatile boolean mayHoldCounters;

  /* Accessed only by the current sweep; there is one at a time. */
  private String cursor = "0";
  private long keptInScanRound;
  private int callNumber;
  private int fieldsPerScan = COUNTERS_PER_SWEEP;
  private final RehashTracker rehash = new RehashTracker();

  RedisExpirySweeper(byte[] shardKey, int keySuffixBytes, BatchingQueue.BatchingContext context) {
    this.shardKey = shardKey;
    this.keySuffixBytes = keySuffixBytes;
    this.context = context;
  }

  /** Records that counters were added, and sweeps if enough were. */
  void onInserted(int count) {
    if (count > 0) {
      mayHoldCounters = true;
      addedSinceScan.addAndGet(count);
      if (pendingChecks.addAndGet((long) CHECKS_PER_INSERT * count) >= COUNTERS_PER_SWEEP) {
        sweep();
      }
    }
  }

  /** Checks some counters, if there may be any. */
  void sweepIfDue() {
    if (mayHoldCounters) {
      sweep();
    }
  }

  private void sweep() {
    if (!sweeping.compareAndSet(false, true)) {
      return;
    }
    Clock storeClock = context.storeClock();
    int maxFields = rehash.mustNotScan() ? 0 : fieldsPerScan;
    ByteWriter head = new ByteWriter();
    callNumber = context.callNumbers().incrementAndGet();
    head.putNumber(callNumber, 4).putNumber(storeClock == null ? 0 : storeClock.micros(), 7);
    head.putNumber(keySuffixBytes, 1).putNumber(maxFields, 2).putNumber(rehash.takeLookups(), 2);
    byte[][] arguments = {head.toByteArray(), cursor.getBytes(US_ASCII)};
    long startMicros = context.clock().micros();
    context
        .connection()
        .call(
            shardKey,
            arguments,
            (reply, failure) -> onReply(maxFields, reply, failure, startMicros));
  }

  private void onReply(
      int maxFields, byte @Nullable [] reply, @Nullable StoreException failure, long startMicros) {
    boolean continueSweep = false;
    try {
      ReplyDecoder decoder = failure == null ? decodeReply(reply) : null;
      long seen = 0;
      if (decoder == null) {
        cursor = "0";
        pendingChecks.set(0); // later inserts make further checks due
      } else if (maxFields > 0) {
        long found = decoder.readNumber(4);
        seen = decoder.readNumber(4);
        long expired = decoder.readNumber(4);
        recordScan(found, seen, expired, decoder.readRemainingText());
        continueSweep = expired * 4 > seen;
      }
      continueSweep |= decoder != null && rehash.mustNotScan();
      pendingChecks.set(Math.max(0, pendingChecks.get() - Math.max(seen, COUNTERS_PER_SWEEP)));
    } finally {
      sweeping.set(false);
    }
    if (pendingChecks.get() >= COUNTERS_PER_SWEEP) {
      sweep();
    } else if (continueSweep) {
      long elapsedMicros = context.clock().micros() - startMicros;
      context.connection().runAfter(1 + 3 * elapsedMicros / MICROS_PER_MILLI, this::sweep);
    }
  }

  private void recordScan(long found, long seen, long expired, String next) {
    rehash.recordScan(
        fieldsPerScan, found, Math.min(found, expired), addedSinceScan.getAndSet(0), cursor, next);
    fieldsPerScan =
        (int)
            Math.max(
                MIN_FIELDS_PER_SCAN,
                COUNTERS_PER_SWEEP * found / Math.max(1, Math.max(found, seen)));
    cursor = next;
    keptInScanRound += seen - expired;
    if (cursor.equals("0")) {
      mayHoldCounters = keptInScanRound > 0;
      keptInScanRound = 0;
    }
  }

  /** Returns the reply after its call number; null if it belongs to another call. */
  private @Nullable ReplyDecoder decodeReply(byte @Nullable [] reply) {
    if (reply != null && reply.length > 16) {
      ReplyDecoder decoder = new ReplyDecoder(reply);
      if (decoder.readNumber(4) == (callNumber & 0xFFFF_FFFFL)) {
        return decoder;
      }
    }
    context.connection().drop("the reply belongs to another call");
    return null;
  }
}
