package io.weir.store;

import io.weir.algorithm.CounterState;
import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
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
 * Counters in this JVM's memory: a bounded table of primitive numbers, no object per caller.
 *
 * <p>The table is cut into segments by the upper bits of the key, which are the caller's, so that a
 * caller's counters share one. A decision locks the segments of its claims in ascending order,
 * which makes it atomic over all of them without deadlock; the locks are spins, held for tens of
 * nanoseconds. What has become fresh is forgotten when room is needed; no thread sweeps.
 *
 * <p>Memory never exceeds the budget (and the transient copy of one segment). Under a flood of
 * distinct keys the states nearest to fresh are forgotten first, an exhausted one never. A known
 * key is judged by its state however full the store is; only a charge that cannot be written, as of
 * a new key, is answered by its rule's posture, as degraded.
 */
public final class MemoryStore implements Store {
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

  /** A store of at most a quarter of this JVM's heap. */
  public MemoryStore(Clock clock) {
    this(clock, quarterOfHeap());
  }

  private static long quarterOfHeap() {
    return Runtime.getRuntime().maxMemory() / 4;
  }

  /**
   * A store of at most that many bytes, about 33 for each counter. A sliding log takes 22 more for
   * every charge that it remembers.
   *
   * @throws IllegalArgumentException below 1 MiB
   */
  public MemoryStore(Clock clock, long maxBytes) {
    this(clock, maxBytes, Fingerprint.random());
  }

  MemoryStore(Clock clock, long maxBytes, Fingerprint fingerprint) {
    if (maxBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "a memory store of " + maxBytes + " bytes cannot be; give it at least 1 MiB");
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
   * A store with the counters {@link #save} wrote, of at most that many bytes. What passed since
   * has passed: what has become fresh is left out. Without a file, or with one that cannot be read,
   * it is empty; of the latter, a warning says so.
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
   * Writes all counters to a file, for a start after a stop in order; what was there is replaced as
   * a whole. Decisions go on, but of those made meanwhile the file may lack some.
   *
   * @throws IOException if it cannot be written; what was there stays
   */
  public synchronized void save(Path file) throws IOException {
    CounterSnapshot.write(file, fingerprint, clock, segments);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    return CompletableFuture.completedFuture(decide(claims, mode, when));
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /** How many counters it holds, those that have become fresh but were not yet needed included. */
  public long counters() {
    return sum(CounterSegment::count);
  }

  /** The bytes of the table. */
  public long bytes() {
    return sum(CounterSegment::words) * 8;
  }

  /** How many counters with room left were forgotten early to stay within the budget. */
  public long evicted() {
    return sum(CounterSegment::evicted);
  }

  /** How many claims could not be written and were answered by their rule's posture. */
  public long rejectedForSpace() {
    return rejectedForSpace.sum();
  }

  private ClaimOutcome[] decide(Claim[] claims, StoreOperation mode, long chargedAt) {
    if (claims.length == 0) {
      return new ClaimOutcome[0];
    }
    long now = clock.micros();
    int first = segment(claims[0]);
    for (int i = 1; i < claims.length; i++) {
      if (segment(claims[i]) != first) {
        return decideAcrossSegments(claims, mode, now, chargedAt);
      }
    }
    for (int tries = 0; claims.length == 1 && tries < MAX_OPTIMISTIC_ATTEMPTS; tries++) {
      int stamp = segments[first].tryOptimisticRead();
      ClaimOutcome outcome = tryOptimistic(claims[0], mode, now, Math.min(now, chargedAt), stamp);
      if (outcome != null) {
        return new ClaimOutcome[] {outcome};
      }
      if (SpinLock.isUnlocked(stamp) && segments[first].validate(stamp)) {
        break; // it was not for another thread
      }
      SpinLock.backOff(tries);
      now = clock.micros();
    }
    segments[first].lock();
    try {
      return decideLocked(claims, mode, now, chargedAt);
    } finally {
      segments[first].unlock();
    }
  }

  /**
   * Decides on what it read without the lock, and locks only to write, if nothing has changed
   * since. So a refusal or a peek takes no lock, and a flood on one key costs its neighbours
   * nothing. Null if a glance is not enough.
   */
  private @Nullable ClaimOutcome tryOptimistic(
      Claim claim, StoreOperation mode, long now, long when, int stamp) {
    CounterState s =
        new CounterState(); // never leaves this method, so the compiler need not make it
    long key = key(claim);
    CounterSegment segment = segments[segment(claim)];
    if (!segment.readOptimistically(key, s, stamp) || s.time > now) {
      return null;
    }
    ClaimOutcome outcome = ClaimEvaluator.evaluate(claim, s, mode, now, when);
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
      Claim[] claims, StoreOperation mode, long now, long chargedAt) {
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
      return decideLocked(claims, mode, now, chargedAt);
    } finally {
      for (int i = 0; i < order.length; i++) {
        if (i == 0 || order[i] != order[i - 1]) {
          segments[order[i]].unlock();
        }
      }
    }
  }

  /**
   * Decides with the locks of all segments held: on all counters that are known, whether or not
   * there is space to write them. Only if one must be written and cannot, the decision is made
   * again with the fallback of its rule.
   */
  private ClaimOutcome[] decideLocked(
      Claim[] claims, StoreOperation mode, long before, long chargedAt) {
    long now = before;
    LoadedStates loaded = LOADED_STATES.get();
    loaded.begin(claims.length);
    while (true) {
      now = loaded.load(claims, this, now);
      ClaimOutcome[] outcomes =
          ClaimEvaluator.evaluate(claims, loaded.states(), mode, now, Math.min(now, chargedAt));
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

  /** Where the counter of a key is, a key as the table holds it. */
  CounterSegment segment(long key) {
    return segments[(int) (key >>> shift)];
  }

  /** The key as the table holds it: 0 is an empty slot there. */
  static long key(Claim claim) {
    return claim.key() == 0 ? 1 : claim.key();
  }

  private long sum(ToLongFunction<CounterSegment> part) {
    long sum = 0;
    for (CounterSegment segment : segments) {
      segment.lock();
      try {
        sum += part.applyAsLong(segment);
      } finally {
        segment.unlock();
      }
    }
    return sum;
  }
}
