package io.weir.server.envoy;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.TooManyLimitsException;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Decides the descriptors of a call together, all or nothing.
 *
 * <p>Nearly every call has the same operation in all its descriptors, which is one request to the
 * store. In a mixed call, refunds come first, then peeks; if a peek is refused, the descriptors to
 * take are only peeked too. Usage that has already happened is charged last. Descriptors without
 * hits never compete for a permit, so each of them is decided separately.
 */
final class DescriptorDecider {
  private final Limiter limiter;
  private final DescriptorPermits permits;

  DescriptorDecider(Limiter limiter) {
    this.limiter = limiter;
    permits = new DescriptorPermits(limiter);
  }

  /**
   * Returns a decision for each descriptor, in order. Completes exceptionally with a {@link
   * TooManyLimitsException} if they have too many limits to be decided together.
   */
  CompletableFuture<List<Decision>> decide(List<DescriptorRequest> requests) {
    try {
      return decideAll(requests);
    } catch (TooManyLimitsException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<List<Decision>> decideAll(List<DescriptorRequest> requests) {
    StoreOperation first = requests.get(0).operation();
    for (DescriptorRequest request : requests) {
      if (request.operation() != first || (request.withoutHits() && requests.size() > 1)) {
        return decideMixed(requests);
      }
    }
    return execute(requests.stream().map(DescriptorRequest::request).toList(), first);
  }

  private CompletableFuture<List<Decision>> decideMixed(List<DescriptorRequest> requests) {
    Decision[] decisions = new Decision[requests.size()];
    return decideOperation(requests, StoreOperation.REFUND, StoreOperation.REFUND, decisions)
        .thenCompose(
            v -> decideOperation(requests, StoreOperation.PEEK, StoreOperation.PEEK, decisions))
        .thenCompose(v -> peekWithoutHits(requests, decisions))
        .thenCompose(
            v ->
                decideOperation(
                    requests,
                    StoreOperation.TAKE,
                    isRefused(requests, decisions) ? StoreOperation.PEEK : StoreOperation.TAKE,
                    decisions))
        .thenCompose(
            v -> decideOperation(requests, StoreOperation.FORCE, StoreOperation.FORCE, decisions))
        .thenApply(v -> Arrays.asList(decisions));
  }

  /**
   * Decides the descriptors of one operation, and stores the decisions at their indexes.
   *
   * @param requested the operation of the descriptors
   * @param mode the operation to execute for them
   */
  private CompletableFuture<Void> decideOperation(
      List<DescriptorRequest> requests,
      StoreOperation requested,
      StoreOperation mode,
      Decision[] decisions) {
    List<Integer> indexes = new ArrayList<>();
    List<Request> selected = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).operation() == requested && !requests.get(i).withoutHits()) {
        indexes.add(i);
        selected.add(requests.get(i).request());
      }
    }
    if (selected.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return execute(selected, mode)
        .thenAccept(
            results -> {
              for (int i = 0; i < results.size(); i++) {
                decisions[indexes.get(i)] = results.get(i);
              }
            });
  }

  /** Takes hold slots of in-flight limits, which refunds give back. */
  private CompletableFuture<List<Decision>> execute(
      List<Request> requests, StoreOperation operation) {
    if (operation == StoreOperation.TAKE) {
      return permits.acquireAll(requests);
    }
    if (operation == StoreOperation.REFUND) {
      requests.forEach(permits::release);
    }
    return limiter.executeAll(requests, operation);
  }

  /** Peeks each descriptor without hits separately, concurrently. */
  private CompletableFuture<Void> peekWithoutHits(
      List<DescriptorRequest> requests, Decision[] decisions) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).withoutHits()) {
        int index = i;
        all.add(limiter.peek(requests.get(i).request()).thenAccept(d -> decisions[index] = d));
      }
    }
    return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean isRefused(List<DescriptorRequest> requests, Decision[] decisions) {
    for (int i = 0; i < decisions.length; i++) {
      DescriptorRequest request = requests.get(i);
      if (request.operation() == StoreOperation.PEEK
          && !request.alreadyHappened()
          && !decisions[i].allowed()) {
        return true;
      }
    }
    return false;
  }
}
