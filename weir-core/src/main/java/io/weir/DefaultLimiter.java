package io.weir;

import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.CompiledRuleSet;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimStore;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Limiter} implementation: finds the claims of a request under one revision of the rules
 * and applies them with one store call.
 */
final class DefaultLimiter implements Limiter {
  private static final Logger LOG = System.getLogger(Limiter.class.getName());
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final CompletableFuture<Boolean> COMPLETED =
      CompletableFuture.completedFuture(true);

  /** The rule for requests that have a limit of their own and match no other rule. */
  private static final CompiledRule REQUEST_LIMIT_RULE =
      CompiledRule.of(Rule.named("request-limit").limit("1/second").build());

  private final RuleSource rules;
  private final ClaimStore store;
  private final Clock clock;
  private final List<DecisionListener> listeners;
  private final AcquireQueue acquireQueue;
  private final Settlements settlements;
  private final ReservationRegistry reservations;
  private final AtomicBoolean listenerFailed = new AtomicBoolean();

  DefaultLimiter(
      RuleSource rules,
      ClaimStore store,
      Clock clock,
      List<DecisionListener> listeners,
      CancellableScheduler scheduler) {
    this.rules = rules;
    this.store = store;
    this.clock = clock;
    this.listeners = List.copyOf(listeners);
    acquireQueue = new AcquireQueue(this, clock, scheduler);
    settlements = new Settlements(store, rules, clock, scheduler);
    reservations = new ReservationRegistry(settlements, clock, scheduler);
  }

  @Override
  public CompletableFuture<Decision> execute(Request request, StoreOperation operation) {
    reservations.expire();
    CompiledRuleSet current = CompiledRuleSet.of(rules.current());
    Claim[] claims = checkClaimCount(claimsFor(request, current));
    return mapResult(
        CountedClaims.apply(store, clock, claims, operation),
        outcomes ->
            notifyListeners(
                request, operation, new EvaluatedDecision(claims, outcomes, current.revision())));
  }

  @Override
  public CompletableFuture<List<Decision>> executeAll(
      List<Request> requests, StoreOperation operation) {
    if (requests.size() == 1) {
      return mapResult(execute(requests.get(0), operation), List::of);
    }
    reservations.expire();
    CompiledRuleSet current = CompiledRuleSet.of(rules.current());
    ClaimBatch batch = new ClaimBatch(requests.size());
    for (Request request : requests) {
      batch.add(claimsFor(request, current));
    }
    List<Request> copy = List.copyOf(requests);
    return mapResult(
        CountedClaims.apply(store, clock, checkClaimCount(batch.allClaims()), operation),
        outcomes -> {
          List<Decision> decisions = batch.decisions(outcomes, current.revision());
          for (int i = 0; i < copy.size(); i++) {
            var unused = notifyListeners(copy.get(i), operation, decisions.get(i));
          }
          return decisions;
        });
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "ttl must be more than 0 and at most 1d (was " + ttl + "), for example 1m");
    }
    return execute(request, StoreOperation.TAKE)
        .thenApply(decision -> reservations.open(decision, ttl));
  }

  private Claim[] claimsFor(Request request, CompiledRuleSet current) {
    Fingerprint fingerprint = store.fingerprint();
    Rate rate = request.limit();
    if (rate == null) {
      return current.claims(request, fingerprint, request.cost());
    }
    Claim[] claims = current.claims(request, fingerprint, request.cost(), rate);
    for (Claim claim : claims) {
      if (!claim.limit().shadow()) {
        return claims;
      }
    }
    long caller = fingerprint.of(request.canonicalForm());
    Claim[] all = Arrays.copyOf(claims, claims.length + 1);
    all[claims.length] = Claim.of(REQUEST_LIMIT_RULE.limit(rate), caller, request.cost());
    return all;
  }

  /**
   * Rejects claims that the store would reject, since its circuit breaker would count a failure.
   */
  private static Claim[] checkClaimCount(Claim[] claims) {
    if (claims.length > TooManyLimitsException.MAX_LIMITS) {
      throw new TooManyLimitsException(claims.length);
    }
    return claims;
  }

  /** Like {@code thenApply}, but without its overhead if the future is already complete. */
  private static <A extends @Nullable Object, B> CompletableFuture<B> mapResult(
      CompletableFuture<A> future, Function<A, B> mapper) {
    return future.isDone()
        ? CompletableFuture.completedFuture(mapper.apply(future.join()))
        : future.thenApply(mapper);
  }

  @Override
  public CompletableFuture<Decision> reset(Request request) {
    CompiledRuleSet current = CompiledRuleSet.of(rules.current());
    Claim[] claims = current.allCounterClaims(request, store.fingerprint(), Claim.MAX_COST);
    return store
        .apply(claims, StoreOperation.REFUND)
        .thenApply(outcomes -> new EvaluatedDecision(claims, outcomes, current.revision()));
  }

  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    Settlements.Settlement refund = settlements.settle(decision, 0);
    return mapResult(refund.attempted(), done -> refund.state() == Reservation.State.SETTLED);
  }

  @Override
  public Decision acquire(Request request, Duration timeout) throws InterruptedException {
    return acquireQueue.acquire(request, timeout);
  }

  @Override
  public CompletableFuture<Boolean> complete(Decision decision, int status) {
    if (!EvaluatedDecision.of(decision).countsByResponse()) {
      return COMPLETED;
    }
    Settlements.Settlement settlement = settlements.complete(decision, status);
    return mapResult(
        settlement.attempted(), done -> settlement.state() == Reservation.State.SETTLED);
  }

  @Override
  public int pendingSettlements() {
    return settlements.pending();
  }

  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** Closes the limiter, waiting for the store no longer than the timeout. */
  void close(Duration timeout) {
    reservations
        .close()
        .thenCompose(cancelled -> settlements.close())
        .completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  private Decision notifyListeners(Request request, StoreOperation operation, Decision decision) {
    if (operation == StoreOperation.TAKE || operation == StoreOperation.FORCE) {
      for (DecisionListener listener : listeners) {
        try {
          listener.onDecision(request, decision);
        } catch (Throwable t) {
          if (listenerFailed.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "a decision listener failed; decisions are not affected", t);
          }
        }
      }
    }
    return decision;
  }
}
