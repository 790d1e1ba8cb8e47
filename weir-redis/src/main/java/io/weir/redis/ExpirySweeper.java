package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.store.Clock;
import io.weir.store.StoreException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Forgets the counters of a shelf that have become fresh, a few at a time.
 *
 * <p>Two are looked at for each that is added, which keeps up with any inflow; when nothing is
 * added, a few every second; and where many are stale, a few at a time with pauses three times as
 * long, until few are. So memory comes back, and no call takes long.
 */
final class ExpirySweeper {
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

  /* Only touched by the one sweep there is at a time. */
  private String cursor = "0";
  private long keptInScanRound;
  private int callNumber;
  private int fieldsPerScan = COUNTERS_PER_SWEEP;
  private final RehashTracker rehash = new RehashTracker();

  ExpirySweeper(byte[] shelf, int restBytes, BatchingQueue.BatchingContext shared) {
    this.shardKey = shelf;
    this.keySuffixBytes = restBytes;
    this.context = shared;
  }

  /** Notes that counters were added. */
  void onInserted(int count) {
    if (count > 0) {
      mayHoldCounters = true;
      addedSinceScan.addAndGet(count);
      if (pendingChecks.addAndGet((long) CHECKS_PER_INSERT * count) >= COUNTERS_PER_SWEEP) {
        sweep();
      }
    }
  }

  /** Looks at a few, if there are any. */
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
    int most = rehash.mustNotScan() ? 0 : fieldsPerScan;
    ByteWriter head = new ByteWriter();
    callNumber = context.callNumbers().incrementAndGet();
    head.putNumber(callNumber, 4).putNumber(storeClock == null ? 0 : storeClock.micros(), 7);
    head.putNumber(keySuffixBytes, 1).putNumber(most, 2).putNumber(rehash.takeLookups(), 2);
    byte[][] arguments = {head.toByteArray(), cursor.getBytes(US_ASCII)};
    long began = context.clock().micros();
    context
        .connection()
        .call(shardKey, arguments, (reply, failure) -> onReply(most, reply, failure, began));
  }

  private void onReply(
      int most, byte @Nullable [] reply, @Nullable StoreException failure, long began) {
    boolean goesOn = false;
    try {
      ReplyDecoder packed = failure == null ? decodeReply(reply) : null;
      long seen = 0;
      if (packed == null) {
        cursor = "0";
        pendingChecks.set(0); // it will be owed again
      } else if (most > 0) {
        long found = packed.readNumber(4);
        seen = packed.readNumber(4);
        long dead = packed.readNumber(4);
        recordScan(found, seen, dead, packed.readRemainingText());
        goesOn = dead * 4 > seen;
      }
      goesOn |= packed != null && rehash.mustNotScan();
      pendingChecks.set(Math.max(0, pendingChecks.get() - Math.max(seen, COUNTERS_PER_SWEEP)));
    } finally {
      sweeping.set(false);
    }
    if (pendingChecks.get() >= COUNTERS_PER_SWEEP) {
      sweep();
    } else if (goesOn) {
      long took = context.clock().micros() - began;
      context.connection().runAfter(1 + 3 * took / MICROS_PER_MILLI, this::sweep);
    }
  }

  private void recordScan(long found, long seen, long dead, String next) {
    rehash.recordScan(
        fieldsPerScan, found, Math.min(found, dead), addedSinceScan.getAndSet(0), cursor, next);
    fieldsPerScan =
        (int)
            Math.max(
                MIN_FIELDS_PER_SCAN,
                COUNTERS_PER_SWEEP * found / Math.max(1, Math.max(found, seen)));
    cursor = next;
    keptInScanRound += seen - dead;
    if (cursor.equals("0")) {
      mayHoldCounters = keptInScanRound > 0;
      keptInScanRound = 0;
    }
  }

  /** The answer behind its number; none if it is to something else. */
  private @Nullable ReplyDecoder decodeReply(byte @Nullable [] reply) {
    if (reply != null && reply.length > 16) {
      ReplyDecoder packed = new ReplyDecoder(reply);
      if (packed.readNumber(4) == (callNumber & 0xFFFF_FFFFL)) {
        return packed;
      }
    }
    context.connection().drop("it answered another question");
    return null;
  }
}
