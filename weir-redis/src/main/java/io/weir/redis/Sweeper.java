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
final class Sweeper {
  private static final int STEP = 256;
  private static final int FEWEST_FIELDS = 8;
  private static final int LOOKS_PER_INSERT = 2;
  private static final long MICROS_PER_MILLI = 1000;

  private final byte[] shelf;
  private final int restBytes;
  private final Lane.Shared shared;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicLong owed = new AtomicLong();
  private final AtomicLong added = new AtomicLong(); // since the last scan
  private volatile boolean occupied;

  /* Only touched by the one sweep there is at a time. */
  private String cursor = "0";
  private long keptInRound;
  private int number;
  private int fields = STEP;
  private final Shrinking shrinking = new Shrinking();

  Sweeper(byte[] shelf, int restBytes, Lane.Shared shared) {
    this.shelf = shelf;
    this.restBytes = restBytes;
    this.shared = shared;
  }

  /** Notes that counters were added. */
  void inserted(int count) {
    if (count > 0) {
      occupied = true;
      added.addAndGet(count);
      if (owed.addAndGet((long) LOOKS_PER_INSERT * count) >= STEP) {
        sweep();
      }
    }
  }

  /** Looks at a few, if there are any. */
  void tick() {
    if (occupied) {
      sweep();
    }
  }

  private void sweep() {
    if (!busy.compareAndSet(false, true)) {
      return;
    }
    Clock storeClock = shared.storeClock();
    int most = shrinking.forbidsScans() ? 0 : fields;
    Bytes head = new Bytes();
    number = shared.numbers().incrementAndGet();
    head.number(number, 4).number(storeClock == null ? 0 : storeClock.micros(), 7);
    head.number(restBytes, 1).number(most, 2).number(shrinking.take(), 2);
    byte[][] arguments = {head.copy(), cursor.getBytes(US_ASCII)};
    long began = shared.clock().micros();
    shared.link().call(shelf, arguments, (reply, failure) -> swept(most, reply, failure, began));
  }

  private void swept(
      int most, byte @Nullable [] reply, @Nullable StoreException failure, long began) {
    boolean goesOn = false;
    try {
      Packed packed = failure == null ? answer(reply) : null;
      long seen = 0;
      if (packed == null) {
        cursor = "0";
        owed.set(0); // it will be owed again
      } else if (most > 0) {
        long found = packed.number(4);
        seen = packed.number(4);
        long dead = packed.number(4);
        scanned(found, seen, dead, packed.rest());
        goesOn = dead * 4 > seen;
      }
      goesOn |= packed != null && shrinking.forbidsScans();
      owed.set(Math.max(0, owed.get() - Math.max(seen, STEP)));
    } finally {
      busy.set(false);
    }
    if (owed.get() >= STEP) {
      sweep();
    } else if (goesOn) {
      long took = shared.clock().micros() - began;
      shared.link().later(1 + 3 * took / MICROS_PER_MILLI, this::sweep);
    }
  }

  private void scanned(long found, long seen, long dead, String next) {
    shrinking.scanned(fields, found, Math.min(found, dead), added.getAndSet(0), cursor, next);
    fields = (int) Math.max(FEWEST_FIELDS, STEP * found / Math.max(1, Math.max(found, seen)));
    cursor = next;
    keptInRound += seen - dead;
    if (cursor.equals("0")) {
      occupied = keptInRound > 0;
      keptInRound = 0;
    }
  }

  /** The answer behind its number; none if it is to something else. */
  private @Nullable Packed answer(byte @Nullable [] reply) {
    if (reply != null && reply.length > 16) {
      Packed packed = new Packed(reply);
      if (packed.number(4) == (number & 0xFFFF_FFFFL)) {
        return packed;
      }
    }
    shared.link().drop("it answered another question");
    return null;
  }
}
