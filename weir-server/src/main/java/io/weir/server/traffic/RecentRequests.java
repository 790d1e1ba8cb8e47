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
  static final long SPAN_MICROS = 3600L * 1_000_000;
  private static final int MAX_REQUESTS = 50_000;
  private static final long MAX_CHARS = 8L << 20;
  private static final int MAX_REQUEST_CHARS = 2048;
  private static final int OVERHEAD_CHARS = 64;
  private static final int MAX_WEIGHT = 1 << 20;
  private static final int LOW_LOAD_DIVISOR = 8;

  private static final List<String> CALLER_ATTRIBUTES = List.of("user", "api_key", "ip");

  private final Clock clock;
  private final int maxRequests;
  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder skipped = new LongAdder();
  private Deque<PastRequest> requests = new ArrayDeque<>();
  private long chars;
  private volatile int weight = 1;

  public RecentRequests(Clock clock) {
    this(clock, MAX_REQUESTS);
  }

  RecentRequests(Clock clock, int most) {
    this.clock = clock;
    this.maxRequests = most;
  }

  /** Hears what is decided. */
  public DecisionListener listener() {
    return this::record;
  }

  private void record(Request request, Decision decision) {
    int chosen = weight;
    if (!isSampled(request, chosen)) {
      return;
    }
    int length = length(request);
    if (length > MAX_REQUEST_CHARS || !lock.tryLock()) {
      skipped.increment();
      return;
    }
    try {
      long now = clock.micros();
      requests.addLast(new PastRequest(now, request, !decision.allowed(), chosen, length));
      chars += length;
      evict(now);
    } finally {
      lock.unlock();
    }
  }

  private void evict(long now) {
    while (!requests.isEmpty() && requests.getFirst().time() < now - SPAN_MICROS) {
      chars -= requests.removeFirst().length();
    }
    if (requests.size() > maxRequests || chars > MAX_CHARS) {
      halveSample();
    } else if (weight > 1
        && requests.size() < maxRequests / LOW_LOAD_DIVISOR
        && chars < MAX_CHARS / LOW_LOAD_DIVISOR) {
      weight /= 2;
    }
  }

  /** Forgets every other caller; if one caller is all there is, its older half. */
  private void halveSample() {
    int doubled = Math.min(MAX_WEIGHT, weight * 2);
    Deque<PastRequest> kept = new ArrayDeque<>();
    for (PastRequest one : requests) {
      if (isSampled(one.request(), doubled)) {
        kept.addLast(one.weight() < doubled ? one.withWeight(doubled) : one);
      }
    }
    if (kept.size() > maxRequests * 3L / 4 || kept.size() < maxRequests / LOW_LOAD_DIVISOR) {
      kept = requests;
      for (int drop = requests.size() / 2; drop > 0; drop--) {
        kept.removeFirst();
      }
    } else {
      weight = doubled;
    }
    requests = kept;
    chars = requests.stream().mapToLong(PastRequest::length).sum();
  }

  private static boolean isSampled(Request request, int weight) {
    return weight == 1 || (callerHash(request) & (weight - 1)) == 0;
  }

  /** The same for all requests of a caller, whoever else calls from its address. */
  private static int callerHash(Request request) {
    String caller = null;
    for (int i = 0; i < CALLER_ATTRIBUTES.size() && caller == null; i++) {
      caller = request.get(CALLER_ATTRIBUTES.get(i));
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
      for (PastRequest one : requests) {
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
    return since(SPAN_MICROS);
  }

  /** How many requests were not remembered that should have been. */
  public long skipped() {
    return skipped.sum();
  }

  /** Of how many callers one is remembered now. */
  public int weight() {
    return weight;
  }
}
