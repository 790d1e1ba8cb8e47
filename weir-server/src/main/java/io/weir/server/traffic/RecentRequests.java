package io.weir.server.traffic;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.store.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The requests of the last hour, in bounded memory.
 *
 * <p>While they fit, all of them. When they do not, of every other caller all and of the rest none,
 * then of every fourth, and so on: what a limit would have done to a caller needs all requests of
 * that caller, and nothing of the others. Each request then stands for two, four, and so on. When
 * traffic has become less, more callers are remembered again.
 *
 * <p>Safe for any number of threads. A thread that finds another one remembering leaves its request
 * out: deciding never waits.
 */
public final class RecentRequests {
  static final long SPAN = 3600L * 1_000_000;
  private static final int MOST = 50_000;
  private static final long MOST_CHARS = 8L << 20;
  private static final int LONGEST = 2048;
  private static final int OVERHEAD_CHARS = 64;
  private static final int MOST_WEIGHT = 1 << 20;
  private static final int FEW = 8;

  private static final List<String> CALLERS = List.of("user", "api_key", "ip");

  private final Clock clock;
  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder leftOut = new LongAdder();
  private Deque<PastRequest> asked = new ArrayDeque<>();
  private long chars;
  private volatile int weight = 1;

  public RecentRequests(Clock clock) {
    this(clock, MOST);
  }

  RecentRequests(Clock clock, int most) {
    this.clock = clock;
    this.most = most;
  }

  /** Hears what is decided. */
  public DecisionListener listener() {
    return this::decided;
  }

  private void decided(Request request, Decision decision) {
    int chosen = weight;
    if (!follows(request, chosen)) {
      return;
    }
    int length = length(request);
    if (length > LONGEST || !lock.tryLock()) {
      leftOut.increment();
      return;
    }
    try {
      long now = clock.micros();
      asked.addLast(new PastRequest(now, request, !decision.allowed(), chosen, length));
      chars += length;
      forget(now);
    } finally {
      lock.unlock();
    }
  }

  private void forget(long now) {
    while (!asked.isEmpty() && asked.getFirst().time() < now - SPAN) {
      chars -= asked.removeFirst().length();
    }
    if (asked.size() > most || chars > MOST_CHARS) {
      thin();
    } else if (weight > 1 && asked.size() < most / FEW && chars < MOST_CHARS / FEW) {
      weight /= 2;
    }
  }

  /** Forgets every other caller; if one caller is all there is, its older half. */
  private void thin() {
    int doubled = Math.min(MOST_WEIGHT, weight * 2);
    Deque<PastRequest> kept = new ArrayDeque<>();
    for (PastRequest one : asked) {
      if (follows(one.request(), doubled)) {
        kept.addLast(one.weight() < doubled ? one.weighing(doubled) : one);
      }
    }
    if (kept.size() > most * 3L / 4 || kept.size() < most / FEW) {
      kept = asked;
      for (int drop = asked.size() / 2; drop > 0; drop--) {
        kept.removeFirst();
      }
    } else {
      weight = doubled;
    }
    asked = kept;
    chars = asked.stream().mapToLong(PastRequest::length).sum();
  }

  private static boolean follows(Request request, int weight) {
    return weight == 1 || (hash(request) & (weight - 1)) == 0;
  }

  /** The same for all requests of a caller, whoever else calls from its address. */
  private static int hash(Request request) {
    String caller = null;
    for (int i = 0; i < CALLERS.size() && caller == null; i++) {
      caller = request.get(CALLERS.get(i));
    }
    int hash = caller == null ? request.attributes().hashCode() : caller.hashCode();
    return (hash * 0x9E3779B9) >>> 12; // mixed, since names that differ little must not go together
  }

  private static int length(Request request) {
    int length = OVERHEAD_CHARS;
    for (Map.Entry<String, String> one : request.attributes().entrySet()) {
      length += one.getKey().length() + one.getValue().length();
    }
    return length;
  }

  /**
   * Those of the last so many microseconds, the oldest first.
   *
   * @param since how far back at most
   */
  public List<PastRequest> since(long since) {
    long oldest = clock.micros() - since;
    lock.lock();
    try {
      List<PastRequest> some = new ArrayList<>();
      for (PastRequest one : asked) {
        if (one.time() >= oldest) {
          some.add(one);
        }
      }
      return some;
    } finally {
      lock.unlock();
    }
  }

  /** All of them, the oldest first. */
  public List<PastRequest> all() {
    return since(SPAN);
  }

  /** How many requests were not remembered that should have been. */
  public long leftOut() {
    return leftOut.sum();
  }

  /** Of how many callers one is remembered now. */
  public int weight() {
    return weight;
  }
}
