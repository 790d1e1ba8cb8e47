package io.weir;

import io.weir.rule.Claim;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Decides whether a request still has budget. Made by {@link Weir}; safe for any number of threads.
 *
 * <p>A request is admitted only if every rule that meets it has room, and then all of them are
 * charged; a refusal charges none. The futures never complete exceptionally.
 *
 * <p>Every method that decides throws a {@link TooManyLimitsException} if more than {@value
 * TooManyLimitsException#MAX_LIMITS} limits apply.
 */
public interface Limiter extends AutoCloseable {

  /** Judges a request and charges it as the mode says. */
  CompletableFuture<Decision> execute(Request request, StoreOperation mode);

  /**
   * Judges several requests together, as the parts of one, at one moment and under one revision of
   * the rules: they are admitted if all of them are, and charged all or not at all. Requests that
   * meet the same counter are judged in turn, each after those before it.
   *
   * @return a decision for each request, in order; one that has room is allowed by its own decision
   *     even if another of them is refused
   */
  CompletableFuture<List<Decision>> executeAll(List<Request> requests, StoreOperation mode);

  /**
   * Decides now, charging the cost, for work whose true cost is known only afterwards. Commit or
   * cancel the reservation within {@code ttl}; one that is forgotten is cancelled by itself then.
   */
  CompletableFuture<Reservation> reserve(Request request, Duration ttl);

  /** Decides: charges the request if it is admitted. */
  default CompletableFuture<Decision> decide(Request request) {
    return execute(request, StoreOperation.TAKE);
  }

  /** Decides, waiting for the answer of a store that is away. */
  default Decision decideNow(Request request) {
    return decide(request).join();
  }

  /** Says what {@link #decide} would say and charges nothing. */
  default CompletableFuture<Decision> peek(Request request) {
    return execute(request, StoreOperation.PEEK);
  }

  /** Charges a request that has happened already, past the limit if need be. */
  default CompletableFuture<Decision> charge(Request request) {
    return execute(request, StoreOperation.FORCE);
  }

  /**
   * Gives back what a decision charged, such as for a request that went away before it was served.
   * Only what was charged is given back, to the counters it was charged to, whatever the rules say
   * by now, and only as much of it as is still counted. Call it at most once for a decision.
   *
   * @return whether the store has given it back, or there was nothing to give back. If not, the
   *     store was unavailable: what it was not asked yet it will be asked later.
   */
  CompletableFuture<Boolean> refund(Decision decision);

  /**
   * Gives back permits to the counters a request meets now, never more than was used: an operator's
   * grant. What a decision charged is given back by {@link #refund(Decision)}.
   */
  default CompletableFuture<Decision> refund(Request request) {
    return execute(request, StoreOperation.REFUND);
  }

  /**
   * Gives everything back: the caller's counters are fresh, under every rule that meets the
   * request. For those of one rule, ask a limiter over {@link io.weir.rule.RuleSet#onlyRule}.
   */
  default CompletableFuture<Decision> reset(Request request) {
    return refund(request.cost(Claim.MAX_COST));
  }

  /** How many refunds and settled reservations wait for a store that is unavailable. */
  default int pendingSettlements() {
    return 0;
  }

  /**
   * Cancels the reservations that are open, and returns when the store has answered or, at the
   * latest, a few seconds later. The store stays open; what is reserved from now on is given back
   * at once.
   */
  @Override
  default void close() {}
}
