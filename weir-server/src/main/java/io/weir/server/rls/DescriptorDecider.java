package io.weir.server.rls;

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
 * Has the descriptors of a call decided together, all or nothing.
 *
 * <p>Nearly every call asks one thing of all its descriptors, which is one question to the store.
 * Where they are mixed, what is given back comes first, then what is only looked at; if a look is
 * refused, what was to be taken is only looked at too. What has happened already is charged last.
 * Descriptors without hits never compete for a permit, so each of them is judged by itself.
 */
final class DescriptorDecider {
  private final Limiter limiter;

  DescriptorDecider(Limiter limiter) {
    this.limiter = limiter;
  }

  /**
   * A decision for each descriptor, in order; completes exceptionally with a {@link
   * TooManyLimitsException} if they cannot be decided together.
   */
  CompletableFuture<List<Decision>> decide(List<DescriptorRequest> asked) {
    try {
      return decideAll(asked);
    } catch (TooManyLimitsException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<List<Decision>> decideAll(List<DescriptorRequest> asked) {
    StoreOperation first = asked.get(0).operation();
    for (DescriptorRequest one : asked) {
      if (one.operation() != first || (one.withoutHits() && asked.size() > 1)) {
        return decideMixed(asked);
      }
    }
    return limiter.executeAll(asked.stream().map(DescriptorRequest::request).toList(), first);
  }

  private CompletableFuture<List<Decision>> decideMixed(List<DescriptorRequest> asked) {
    Decision[] decisions = new Decision[asked.size()];
    return decideOperation(asked, StoreOperation.REFUND, StoreOperation.REFUND, decisions)
        .thenCompose(
            v -> decideOperation(asked, StoreOperation.PEEK, StoreOperation.PEEK, decisions))
        .thenCompose(v -> peekWithoutHits(asked, decisions))
        .thenCompose(
            v ->
                decideOperation(
                    asked,
                    StoreOperation.TAKE,
                    isRefused(asked, decisions) ? StoreOperation.PEEK : StoreOperation.TAKE,
                    decisions))
        .thenCompose(
            v -> decideOperation(asked, StoreOperation.FORCE, StoreOperation.FORCE, decisions))
        .thenApply(v -> Arrays.asList(decisions));
  }

  /** Has the descriptors of one mode decided, and notes the decisions at their places. */
  private CompletableFuture<Void> decideOperation(
      List<DescriptorRequest> asked,
      StoreOperation meant,
      StoreOperation mode,
      Decision[] decisions) {
    List<Integer> places = new ArrayList<>();
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).operation() == meant && !asked.get(i).withoutHits()) {
        places.add(i);
        requests.add(asked.get(i).request());
      }
    }
    if (requests.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return limiter
        .executeAll(requests, mode)
        .thenAccept(
            said -> {
              for (int i = 0; i < said.size(); i++) {
                decisions[places.get(i)] = said.get(i);
              }
            });
  }

  /** Has each descriptor without hits judged by itself, all at once. */
  private CompletableFuture<Void> peekWithoutHits(
      List<DescriptorRequest> asked, Decision[] decisions) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).withoutHits()) {
        int place = i;
        all.add(limiter.peek(asked.get(i).request()).thenAccept(said -> decisions[place] = said));
      }
    }
    return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean isRefused(List<DescriptorRequest> asked, Decision[] decisions) {
    for (int i = 0; i < decisions.length; i++) {
      DescriptorRequest one = asked.get(i);
      if (one.operation() == StoreOperation.PEEK
          && !one.alreadyHappened()
          && !decisions[i].allowed()) {
        return true;
      }
    }
    return false;
  }
}
