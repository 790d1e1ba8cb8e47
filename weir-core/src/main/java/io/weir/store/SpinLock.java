package io.weir.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for what is held for tens of nanoseconds, with a version that lets readers do without it.
 *
 * <p>Unfair on purpose: under contention one thread does a run of work while its cache is warm.
 * Made to be extended, so that lock and data share a cache line.
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

  /** Odd while locked, and another number after each time. */
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

  /** Whether nobody held the lock at that {@link #tryOptimisticRead}. */
  static boolean isUnlocked(int stamp) {
    return (stamp & 1) == 0;
  }

  /** Takes the lock only if nobody has held it since {@link #tryOptimisticRead}; whether it did. */
  final boolean tryConvertToWriteLock(int stamp) {
    return VERSION.compareAndSet(this, stamp, stamp + 1);
  }

  /** What to hand to {@link #validate} after reading without the lock; odd if it is locked now. */
  final int tryOptimisticRead() {
    return (int) VERSION.getAcquire(this);
  }

  /**
   * Whether nobody has held the lock since {@link #tryOptimisticRead}, so that what was read is
   * true.
   */
  final boolean validate(int stamp) {
    VarHandle.acquireFence();
    return version == stamp;
  }

  /**
   * Waits away from the holder's cache line, longer each time: the holder may have lost its core.
   */
  @SuppressWarnings("ThreadPriorityCheck") // it may need this one
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
