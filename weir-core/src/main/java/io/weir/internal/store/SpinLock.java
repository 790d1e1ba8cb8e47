package io.weir.internal.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A spin lock with optimistic reads (a sequence lock), for data that is locked for tens of
 * nanoseconds. The method names follow {@link java.util.concurrent.locks.StampedLock}.
 *
 * <p>Unfair on purpose: under contention one thread makes several decisions while its cache is
 * warm. Extended by the class with the data, so that lock and data share a cache line.
 */
abstract class SpinLock {
  private static final VarHandle VERSION;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(SpinLock.class, "version", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Odd while locked; incremented by each lock and unlock. */
  private int version;

  final void lock() {
    for (int tries = 0; ; tries++) {
      int seen = (int) VERSION.getOpaque(this);
      if (isUnlocked(seen) && VERSION.compareAndSet(this, seen, seen + 1)) {
        return;
      }
      backOff(tries);
    }
  }

  void unlock() {
    VERSION.setRelease(this, version + 1);
  }

  /** Whether the lock was free at that {@link #tryOptimisticRead}. */
  static boolean isUnlocked(int stamp) {
    return (stamp & 1) == 0;
  }

  /**
   * Acquires the lock only if it was not held since {@link #tryOptimisticRead}; returns whether it
   * did.
   */
  final boolean tryConvertToWriteLock(int stamp) {
    return VERSION.compareAndSet(this, stamp, stamp + 1);
  }

  /** The stamp to pass to {@link #validate} after reading without the lock; odd if locked. */
  final int tryOptimisticRead() {
    return (int) VERSION.getAcquire(this);
  }

  /**
   * Whether the lock was not held since {@link #tryOptimisticRead}, so that the read is consistent.
   */
  final boolean validate(int stamp) {
    VarHandle.acquireFence();
    return version == stamp;
  }

  /**
   * Waits without touching the lock's cache line, longer each time, since the thread that holds the
   * lock may have been descheduled.
   */
  @SuppressWarnings("ThreadPriorityCheck") // the holder of the lock may need this core
  static void backOff(int tries) {
    if (tries < 6) {
      for (int i = 128 << tries; i > 0; i--) {
        Thread.onSpinWait();
      }
    } else if (tries < 20) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(20_000);
    }
  }
}
