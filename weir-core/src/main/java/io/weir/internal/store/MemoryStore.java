package io.weir.internal.store;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store in this JVM's memory: a bounded hash table of primitive numbers, no object per caller.
 *
 * <p>The table is divided into segments by the upper bits of the key, which depend on the caller
 * only, so that all counters of a caller are in one segment. A decision locks the segments of its
 * claims in ascending order, which makes it atomic over all of them without deadlock. The locks are
 * spin locks, held for tens of nanoseconds. Counters that have become fresh are removed when space
 * is needed; there is no cleanup thread.
 *
 * <p>Memory never exceeds the budget (plus a transient copy of one segment). Under a flood of
 * distinct keys the counters nearest to fresh are evicted first, exhausted ones never. A known key
 * is evaluated by its state however full the store is; only a charge that cannot be written, such
 * as one of a new key, is answered by its rule's fallback, as degraded.
 */
public final class MemoryStore implements ClaimStore {
  private static final Logger LOG = System.getLogger(MemoryStore.class.getName());
  private static final int SEGMENT_WORDS = 32 * 1024;
  private static final int MIN_SEGMENTS = 256;
  private static final int MAX_SEGMENTS = 1 << 16;
  private static final int MAX_OPTIMISTIC_ATTEMPTS = 4;

  private static final ThreadLocal<LoadedStates> LOADED_STATES =
      ThreadLocal.withInitial(LoadedStates::new);

  private final Clock clock;
  private final Fingerprint fingerprint;
  private final CounterSegment[] segments;
  private final int shift;
  private final LongAdder rejectedForSpace = new LongAdder();

  /** Creates a store of at most a quarter of this JVM's heap. */
  public MemoryStore(Clock clock) {
    this(clock, quarterOfHeap());
  }

  private static long quarterOfHeap() {
    return Runtime.getRuntime().maxMemory() / 4;
  }

  /**
   * Creates a store of at most that many bytes. A counter takes about 33 bytes, a sliding log 22
   * more for every charge that it keeps.
   *
   * @throws IllegalArgumentException below 1 MiB
   */
  public MemoryStore(Clock clock, long maxBytes) {
    this(clock, maxBytes, Fingerprint.random());
  }

  MemoryStore(Clock clock, long maxBytes, Fingerprint fingerprint) {
    if (maxBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "a memory store must have at least 1 MiB (was " + maxBytes + " bytes)");
    }
    this.clock = clock;
    this.fingerprint = fingerprint;
    long wanted = maxBytes / 8 / SEGMENT_WORDS;
    int count = MIN_SEGMENTS;
    while (count < wanted && count < MAX_SEGMENTS) {
      count *= 2;
    }
    int share = (int) Math.min(maxBytes / 8 / count / 4 * 3, SegmentBudget.MAX_WORDS);
    AtomicLong rest = new AtomicLong(maxBytes / 8 - (long) share * count);
    segments = new CounterSegment[count];
    Arrays.setAll(segments, i -> new CounterSegment(new SegmentBudget(share, rest)));
    shift = Long.numberOfLeadingZeros(count - 1L);
  }

  /**
   * Creates a store of at most that many bytes with the counters that {@link #save} wrote. Time
   * goes on between the runs: counters that have become fresh since are omitted. The store is empty
   * if there is no file, or if it cannot be read, which is logged as a warning.
   */
  public static MemoryStore load(Path file, Clock clock, long maxBytes) {
    try {
      return CounterSnapshot.read(file, clock, maxBytes);
    } catch (NoSuchFileException e) {
      LOG.log(Level.DEBUG, "there is no snapshot at {0} yet", file);
    } catch (IOException | RuntimeException e) {
      LOG.log(
          Level.WARNING,
          "the snapshot {0} cannot be read ({1}); all counters start fresh",
          file,
          e.getClass() == IOException.class ? e.getMessage() : e);
    }
    return new MemoryStore(clock, maxBytes);
  }

  /** As above, of at most a quarter of this JVM's heap. */
  public static MemoryStore load(Path file, Clock clock) {
    return load(file, clock, quarterOfHeap());
  }

  /**
   * Writes all counters to a file, to be loaded after an orderly restart. The file is replaced
   * atomically. Decisions continue meanwhile, and the file may lack some of them.
   *
   * @throws IOException if the file cannot be written; the old file stays
   */
  public synchronized void save(Path file) throws IOException {
    CounterSnapshot.write(file, fingerprint, clock, segments);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    return CompletableFuture.completedFuture(decide(claims, operation, when));
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /** The number of counters, including fresh ones whose space was not needed yet. */
  public long counters() {
    return sum(CounterSegment::count);
  }

  /** The size of the table in bytes. */
  public long bytes() {
    return sum(CounterSegment::words) * 8;
  }

  /** How many counters that were not exhausted were evicted to stay within the budget. */
  public long evicted() {
    return sum(CounterSegment::evicted);
  }

  /** How many claims could not be written for lack of space and were answered by the fallback. */
  public long rejectedForSpace() {
    return rejectedForSpace.sum();
  }

  private ClaimOutcome[] decide(Claim[] claims, StoreOperation operation, long chargedAt) {
    if (claims.length == 0) {
      return new ClaimOutcome[0];
    }
    long now = clock.micros();
    int first = segment(claims[0]);
    for (int i = 1; i < claims.length; i++) {
      if (segment(claims[i]) != first) {
        return decideAcrossSegments(claims, operation, now, chargedAt);
      }
    }
    for (int tries = 0; claims.length == 1 && tries < MAX_OPTIMISTIC_ATTEMPTS; tries++) {
      int stamp = segments[first].tryOptimisticRead();
      ClaimOutcome outcome =
          tryOptimistic(claims[0], operation, now, Math.min(now, chargedAt), stamp);
      if (outcome != null) {
        return new ClaimOutcome[] {outcome};
      }
      if (SpinLock.isUnlocked(stamp) && segments[first].validate(stamp)) {
        break; // no other thread interfered, so another attempt would fail too
      }
      SpinLock.backOff(tries);
      now = clock.micros();
    }
    segments[first].lock();
    try {
      return decideLocked(claims, operation, now, chargedAt);
    } finally {
      segments[first].unlock();
    }
  }

  /**
   * Decides on an optimistic read, and locks only to write, if nothing has changed since. So a
   * refusal or a peek takes no lock, and a flood on one key does not slow down its neighbors.
   * Returns null if the optimistic read is not sufficient.
   */
  private @Nullable ClaimOutcome tryOptimistic(
      Claim claim, StoreOperation operation, long now, long when, int stamp) {
    CounterState s = new CounterState(); // never escapes, so the JIT compiler need not allocate it
    long key = key(claim);
    CounterSegment segment = segments[segment(claim)];
    if (!segment.readOptimistically(key, s, stamp) || s.time > now) {
      return null;
    }
    ClaimOutcome outcome = ClaimEvaluator.evaluate(claim, s, operation, now, when);
    if (!s.changed) {
      return outcome;
    }
    if (!CounterSegment.fitsSlot(s) || !segment.tryConvertToWriteLock(stamp)) {
      return null;
    }
    try {
      LoadedStates.save(segment, key, s, outcome);
    } finally {
      segment.unlock();
    }
    return outcome;
  }

  private ClaimOutcome[] decideAcrossSegments(
      Claim[] claims, StoreOperation operation, long now, long chargedAt) {
    int[] order = new int[claims.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = segment(claims[i]);
    }
    Arrays.sort(order);
    for (int i = 0; i < order.length; i++) {
      if (i == 0 || order[i] != order[i - 1]) {
        segments[order[i]].lock();
      }
    }
    try {
      return decideLocked(claims, operation, now, chargedAt);
    } finally {
      for (int i = 0; i < order.length; i++) {
        if (i == 0 || order[i] != order[i - 1]) {
          segments[order[i]].unlock();
        }
      }
    }
  }

  /**
   * Decides with the locks of all segments held, on all known counters, whether or not there is
   * space to write them. If a counter must be written and has no space, the decision is made again
   * with the fallback of its rule.
   */
  private ClaimOutcome[] decideLocked(
      Claim[] claims, StoreOperation operation, long before, long chargedAt) {
    long now = before;
    LoadedStates loaded = LOADED_STATES.get();
    loaded.begin(claims.length);
    while (true) {
      now = loaded.load(claims, this, now);
      ClaimOutcome[] outcomes =
          ClaimEvaluator.evaluate(
              claims, loaded.states(), operation, now, Math.min(now, chargedAt));
      int rejected = loaded.reserve(claims, this, now);
      if (rejected == 0) {
        loaded.save(claims, this, outcomes);
        return outcomes;
      }
      rejectedForSpace.add(rejected);
    }
  }

  long micros() {
    return clock.micros();
  }

  private int segment(Claim claim) {
    return (int) (claim.key() >>> shift);
  }

  /** The segment of a key, given as the table stores it. */
  CounterSegment segment(long key) {
    return segments[(int) (key >>> shift)];
  }

  /** The key as the table stores it, where 0 marks an empty slot. */
  static long key(Claim claim) {
    return claim.key() == 0 ? 1 : claim.key();
  }

  private long sum(ToLongFunction<CounterSegment> value) {
    long sum = 0;
    for (CounterSegment segment : segments) {
      segment.lock();
      try {
        sum += value.applyAsLong(segment);
      } finally {
        segment.unlock();
      }
    }
    return sum;
  }
}
