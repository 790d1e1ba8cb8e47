package io.weir.server.envoy;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The permits of the calls of Envoy, by descriptor. Envoy has no ids: it gives the slot of a stream
 * back with a call for the same descriptor with negative hits, which releases the latest permit of
 * that descriptor on this node. Thread-safe.
 */
final class DescriptorPermits {
  private static final int CHECKED_PER_ADD = 2;

  private final Limiter limiter;
  private final Map<Map<String, String>, Deque<Limiter.Permit>> permits = new ConcurrentHashMap<>();

  /** The descriptors with permits, the one that was checked longest ago first. */
  private final Queue<Map<String, String>> descriptorsToCheck = new ConcurrentLinkedQueue<>();

  DescriptorPermits(Limiter limiter) {
    this.limiter = limiter;
  }

  /** Decides requests together, and keeps the permits of those that hold slots. */
  CompletableFuture<List<Decision>> acquireAll(List<Request> requests) {
    return limiter
        .acquireAll(requests)
        .thenApply(
            acquired -> {
              for (int i = 0; i < acquired.size(); i++) {
                if (acquired.get(i).isHeld()) {
                  add(requests.get(i), acquired.get(i));
                }
              }
              return acquired.stream().map(Limiter.Permit::decision).toList();
            });
  }

  /** Adds a permit, and drops some that were held too long. */
  private void add(Request request, Limiter.Permit permit) {
    for (int i = 0; i < CHECKED_PER_ADD; i++) {
      Map<String, String> descriptor = descriptorsToCheck.poll();
      if (descriptor != null
          && permits.computeIfPresent(descriptor, (d, held) -> withoutReleased(held)) != null) {
        descriptorsToCheck.add(descriptor);
      }
    }
    permits.compute(
        request.attributes(),
        (descriptor, known) -> {
          Deque<Limiter.Permit> held = known == null ? null : withoutReleased(known);
          if (held == null) {
            held = new ArrayDeque<>(2);
            descriptorsToCheck.add(descriptor);
          }
          held.addLast(permit);
          return held;
        });
  }

  private static @Nullable Deque<Limiter.Permit> withoutReleased(Deque<Limiter.Permit> permits) {
    while (!permits.isEmpty() && !permits.element().isHeld()) {
      permits.remove();
    }
    return permits.isEmpty() ? null : permits;
  }

  /** Releases the latest permit of a request, if this node has one. */
  void release(Request request) {
    permits.computeIfPresent(
        request.attributes(),
        (descriptor, held) -> {
          held.removeLast().close();
          return held.isEmpty() ? null : held;
        });
  }
}
