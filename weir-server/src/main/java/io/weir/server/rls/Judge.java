package io.weir.server.rls;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.TooManyLimitsException;
import io.weir.store.Mode;
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
final class Judge {
  private final Limiter limiter;

  Judge(Limiter limiter) {
    this.limiter = limiter;
  }

  /**
   * A decision for each descriptor, in order; completes exceptionally with a {@link
   * TooManyLimitsException} if they cannot be decided together.
   */
  CompletableFuture<List<Decision>> judge(List<Asked> asked) {
    try {
      return judgeAll(asked);
    } catch (TooManyLimitsException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<List<Decision>> judgeAll(List<Asked> asked) {
    Mode first = asked.get(0).mode();
    for (Asked one : asked) {
      if (one.mode() != first || (one.free() && asked.size() > 1)) {
        return judgeMixed(asked);
      }
    }
    return limiter.askAll(asked.stream().map(Asked::request).toList(), first);
  }

  private CompletableFuture<List<Decision>> judgeMixed(List<Asked> asked) {
    Decision[] decisions = new Decision[asked.size()];
    return part(asked, Mode.REFUND, Mode.REFUND, decisions)
        .thenCompose(v -> part(asked, Mode.PEEK, Mode.PEEK, decisions))
        .thenCompose(v -> free(asked, decisions))
        .thenCompose(
            v ->
                part(
                    asked,
                    Mode.TAKE,
                    isRefused(asked, decisions) ? Mode.PEEK : Mode.TAKE,
                    decisions))
        .thenCompose(v -> part(asked, Mode.FORCE, Mode.FORCE, decisions))
        .thenApply(v -> Arrays.asList(decisions));
  }

  /** Has the descriptors of one mode decided, and notes the decisions at their places. */
  private CompletableFuture<Void> part(
      List<Asked> asked, Mode meant, Mode mode, Decision[] decisions) {
    List<Integer> places = new ArrayList<>();
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).mode() == meant && !asked.get(i).free()) {
        places.add(i);
        requests.add(asked.get(i).request());
      }
    }
    if (requests.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return limiter
        .askAll(requests, mode)
        .thenAccept(
            said -> {
              for (int i = 0; i < said.size(); i++) {
                decisions[places.get(i)] = said.get(i);
              }
            });
  }

  /** Has each descriptor without hits judged by itself, all at once. */
  private CompletableFuture<Void> free(List<Asked> asked, Decision[] decisions) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).free()) {
        int place = i;
        all.add(limiter.peek(asked.get(i).request()).thenAccept(said -> decisions[place] = said));
      }
    }
    return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean isRefused(List<Asked> asked, Decision[] decisions) {
    for (int i = 0; i < decisions.length; i++) {
      Asked one = asked.get(i);
      if (one.mode() == Mode.PEEK && !one.fact() && !decisions[i].allowed()) {
        return true;
      }
    }
    return false;
  }
}
