package io.weir.admin.traffic;

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
 * Records the requests of the last hour in bounded memory.
 *
 * <p>If there are too many requests, only those of every second caller are recorded, then of every
 * fourth, and so on. Sampling is by caller because a replay needs all requests of a caller. Each
 * recorded request then represents two, four, or more requests. The sampling rate rises again when
 * traffic falls.
 *
 * <p>Thread-safe. A thread that cannot get the lock at once skips its request, so decisions never
 * block.
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

  RecentRequests(Clock clock, int maxRequests) {
    this.clock = clock;
    this.maxRequests = maxRequests;
  }

  /** Returns the listener that records decisions. */
  public DecisionListener listener() {
    return this::record;
  }

  private void record(Request request, Decision decision) {
    int currentWeight = weight;
    if (!isSampled(request, currentWeight)) {
      return;
    }
    int length = length(request);
    if (length > MAX_REQUEST_CHARS || !lock.tryLock()) {
      skipped.increment();
      return;
    }
    try {
      long now = clock.micros();
      requests.addLast(new PastRequest(now, request, !decision.allowed(), currentWeight, length));
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

  /**
   * Doubles the weight, which drops every second caller. If nearly all requests are of one caller,
   * drops the older half instead.
   */
  private void halveSample() {
    int doubled = Math.min(MAX_WEIGHT, weight * 2);
    Deque<PastRequest> kept = new ArrayDeque<>();
    for (PastRequest request : requests) {
      if (isSampled(request.request(), doubled)) {
        kept.addLast(request.weight() < doubled ? request.withWeight(doubled) : request);
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

  /** Returns the same hash for all requests of a caller, identified by user, API key or address. */
  private static int callerHash(Request request) {
    String caller = null;
    for (int i = 0; i < CALLER_ATTRIBUTES.size() && caller == null; i++) {
      caller = request.get(CALLER_ATTRIBUTES.get(i));
    }
    int hash = caller == null ? request.attributes().hashCode() : caller.hashCode();
    return (hash * 0x9E3779B9) >>> 12; // mixed, so that similar names are spread
  }

  private static int length(Request request) {
    int length = OVERHEAD_CHARS;
    for (Map.Entry<String, String> attribute : request.attributes().entrySet()) {
      length += attribute.getKey().length() + attribute.getValue().length();
    }
    return length;
  }

  /**
   * Returns the requests of the last time span, oldest first.
   *
   * @param spanMicros the span in microseconds
   */
  public List<PastRequest> since(long spanMicros) {
    long oldest = clock.micros() - spanMicros;
    lock.lock();
    try {
      List<PastRequest> recent = new ArrayList<>();
      for (PastRequest request : requests) {
        if (request.time() >= oldest) {
          recent.add(request);
        }
      }
      return recent;
    } finally {
      lock.unlock();
    }
  }

  /** Returns all recorded requests, oldest first. */
  public List<PastRequest> all() {
    return since(SPAN_MICROS);
  }

  /**
   * Returns the number of requests that were skipped because of their length or lock contention.
   */
  public long skipped() {
    return skipped.sum();
  }

  /** Returns n if the requests of one in n callers are recorded now. */
  public int weight() {
    return weight;
  }
}
