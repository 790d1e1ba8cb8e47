package io.weir;

import io.weir.internal.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Decides whether a request is within its rate limits. Created by {@link Weir}. Thread-safe.
 *
 * <p>A request is admitted only if every matching rule has enough permits available. All of these
 * rules are then charged; a refused request charges none. The returned futures never complete
 * exceptionally.
 *
 * <p>Every method that decides throws a {@link TooManyLimitsException} if more than {@value
 * TooManyLimitsException#MAX_LIMITS} limits apply.
 */
public interface Limiter extends AutoCloseable {
  /** The status of a request that ended without a response, for example because it was aborted. */
  int NO_RESPONSE = 0;

  /** Evaluates a request and applies the operation to the counters of all matching rules. */
  CompletableFuture<Decision> execute(Request request, StoreOperation operation);

  /**
   * Evaluates several requests atomically, at one time and under one revision of the rules: either
   * all of them are admitted and charged, or none is charged. Requests that use the same counter
   * are evaluated in order.
   *
   * @return one decision per request, in order; the decision of a request that is within its limits
   *     says allowed even if another request is refused
   */
  CompletableFuture<List<Decision>> executeAll(List<Request> requests, StoreOperation operation);

  /**
   * Charges the cost of a request now, for work whose actual cost is known only afterwards. Commit
   * or cancel the reservation within {@code ttl}; otherwise it is canceled automatically.
   */
  CompletableFuture<Reservation> reserve(Request request, Duration ttl);

  /**
   * Decides a request and, if it is admitted, charges it and takes a slot of every in-flight limit
   * that applies to it. Release the permit when the request has ended.
   *
   * <p>The other methods take no slots: {@link #decide} only tells whether one is free.
   */
  CompletableFuture<Permit> acquireAsync(Request request);

  /**
   * As {@link #acquireAsync} for several requests, all or nothing as in {@link #executeAll}.
   *
   * @return one permit per request, in order
   */
  default CompletableFuture<List<Permit>> acquireAll(List<Request> requests) {
    throw new UnsupportedOperationException("this limiter acquires one request at a time");
  }

  /** As {@link #acquireAsync}, and blocks until a remote store has answered. */
  default Permit acquire(Request request) {
    return acquireAsync(request).join();
  }

  /** Decides a request and charges it if it is admitted. */
  default CompletableFuture<Decision> decide(Request request) {
    return execute(request, StoreOperation.TAKE);
  }

  /** Decides a request and blocks until a remote store has answered. */
  default Decision decideNow(Request request) {
    return decide(request).join();
  }

  /**
   * Decides a request, and blocks until it is admitted. Waits for exactly the wait time of its
   * refusal, and for the delay of its admission. Threads that wait for equal requests are admitted
   * in the order in which they came.
   *
   * @param timeout how long to wait at most for permits; a request that would have to wait longer
   *     is refused at once, and one whose cost exceeds the limit, too
   * @return the last decision, which says refused if the timeout was too short
   * @throws InterruptedException if the thread is interrupted; then nothing is charged
   */
  default Decision decideWithin(Request request, Duration timeout) throws InterruptedException {
    return new AdmissionQueue(this, Clock.monotonic(), CancellableScheduler.SYSTEM)
        .decideWithin(request, timeout);
  }

  /**
   * Calls a task if the request is admitted, after its delay.
   *
   * @param task must not return null
   * @return its result; empty if the request is refused
   */
  default <T> Optional<T> callIf(Request request, Callable<? extends T> task) throws Exception {
    return decideWithin(request, Duration.ZERO).allowed()
        ? Optional.of(task.call())
        : Optional.empty();
  }

  /**
   * Calls a supplier if the request is admitted, after its delay. An interrupted thread stays
   * interrupted and is refused.
   *
   * @param task must not return null
   * @return its result; empty if the request is refused
   */
  default <T> Optional<T> getIf(Request request, Supplier<? extends T> task) {
    try {
      return decideWithin(request, Duration.ZERO).allowed()
          ? Optional.of(task.get())
          : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * Runs a task if the request is admitted, like {@link #getIf}.
   *
   * @return whether the task was run
   */
  default boolean runIf(Request request, Runnable task) {
    return getIf(
            request,
            () -> {
              task.run();
              return true;
            })
        .isPresent();
  }

  /** Returns a supplier that decides this request on every call and behaves as {@link #getIf}. */
  default <T> Supplier<Optional<T>> decorate(Request request, Supplier<? extends T> task) {
    return () -> getIf(request, task);
  }

  /** Returns what {@link #decide} would return, without charging anything. */
  default CompletableFuture<Decision> peek(Request request) {
    return execute(request, StoreOperation.PEEK);
  }

  /** Charges a request that has already happened, beyond the limit if necessary. */
  default CompletableFuture<Decision> charge(Request request) {
    return execute(request, StoreOperation.FORCE);
  }

  /**
   * Refunds what a decision charged, for example for a request that was aborted before it was
   * served. Refunds only what was charged, to the counters that were charged even if the rules have
   * changed since, and only the part that is still counted. Call it at most once per decision.
   *
   * @return true if the store has applied the refund or there was nothing to refund; false if the
   *     store was unavailable, in which case refunds that were not sent yet are sent later
   */
  CompletableFuture<Boolean> refund(Decision decision);

  /**
   * Ends a decided request: charges the rules that count responses of this status ({@code
   * charge-when}), and refunds those that do not ({@code refund-when}). Call it exactly once per
   * decision, whether allowed or refused, when the response has ended. A decision of other rules
   * costs nothing to complete.
   *
   * <p>Rules with {@code charge-when} are checked before a request and charged here, beyond the
   * limit if necessary. So they admit at most as many requests beyond the limit as are in flight at
   * the same time.
   *
   * @param status the HTTP status of the response; {@value #NO_RESPONSE} if there was none
   * @return true if the store has applied it or there was nothing to do; false if the store was
   *     unavailable, in which case charges, and refunds that were not sent yet, are sent later
   */
  CompletableFuture<Boolean> complete(Decision decision, int status);

  /**
   * Refunds permits to the counters that the request matches now, never more than was used. For
   * operators; use {@link #refund(Decision)} to refund what a decision charged.
   */
  default CompletableFuture<Decision> refund(Request request) {
    return execute(request, StoreOperation.REFUND);
  }

  /**
   * Resets the caller's counters of every rule that matches the request. To reset the counters of a
   * single rule, use a limiter over {@link io.weir.rule.RuleSet#onlyRule}.
   */
  default CompletableFuture<Decision> reset(Request request) {
    return refund(request.cost(Claim.MAX_COST));
  }

  /** Returns the slots of in-flight limits that requests of this limiter hold, by rule id. */
  default Map<String, Integer> heldSlots() {
    return Map.of();
  }

  /** Returns the number of refunds and settled reservations that wait for an unavailable store. */
  default int pendingSettlements() {
    return 0;
  }

  /**
   * Cancels all open reservations and returns when the store has answered, or after a few seconds
   * at the latest. The store stays open. Later reservations are canceled at once.
   */
  @Override
  default void close() {}

  /**
   * The permission to run a request, with a slot of every in-flight limit that applies to it. Close
   * it when the request has ended, however it ended:
   *
   * <pre>{@code
   * try (Permit permit = limiter.acquire(request)) {
   *   if (permit.allowed()) {
   *     run();
   *   }
   * }
   * }</pre>
   *
   * <p>A slot that is not released is free again after the rule's {@code held-at-most}.
   * Thread-safe.
   */
  interface Permit extends AutoCloseable {

    /** Returns the decision; a refused request holds no slots. */
    Decision decision();

    /** Returns whether the request may run. */
    default boolean allowed() {
      return decision().allowed();
    }

    /** Returns whether it holds a slot now. */
    boolean isHeld();

    /**
     * Gives all slots back, once; later calls do nothing. Permits of rate limits stay charged.
     *
     * @return whether it still held a slot
     */
    boolean release();

    @Override
    default void close() {
      release();
    }
  }
}
