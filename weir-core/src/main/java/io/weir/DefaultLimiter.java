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
import java.util.Map;
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
  private final AdmissionQueue admissionQueue;
  private final Settlements settlements;
  private final ReservationRegistry reservations;
  private final HeldPermits permits;
  private final AtomicBoolean listenerFailed = new AtomicBoolean();

  /**
   * @param timer measures how long slots are held; does not jump with the wall clock
   */
  DefaultLimiter(
      RuleSource rules,
      ClaimStore store,
      Clock clock,
      Clock timer,
      List<DecisionListener> listeners,
      CancellableScheduler scheduler) {
    this.rules = rules;
    this.store = store;
    this.clock = clock;
    this.listeners = List.copyOf(listeners);
    admissionQueue = new AdmissionQueue(this, clock, scheduler);
    settlements = new Settlements(store, rules, clock, scheduler);
    reservations = new ReservationRegistry(settlements, clock, scheduler);
    permits = new HeldPermits(store, timer, scheduler);
  }

  @Override
  public CompletableFuture<Decision> execute(Request request, StoreOperation operation) {
    CompiledRuleSet current = CompiledRuleSet.of(rules.current());
    CompletableFuture<Decision> decided = decide(request, operation, current);
    return takesSlots(operation, current) ? mapResult(decided, this::withoutSlots) : decided;
  }

  @Override
  public CompletableFuture<Permit> acquireAsync(Request request) {
    return mapResult(
        decide(request, StoreOperation.TAKE, CompiledRuleSet.of(rules.current())), permits::hold);
  }

  private CompletableFuture<Decision> decide(
      Request request, StoreOperation operation, CompiledRuleSet current) {
    expire();
    Claim[] claims = checkClaimCount(claimsFor(request, current, operation));
    return mapResult(
        CountedClaims.apply(store, clock, claims, operation),
        outcomes ->
            notifyListeners(
                request, operation, new EvaluatedDecision(claims, outcomes, current.revision())));
  }

  private void expire() {
    reservations.expire();
    permits.expire();
  }

  private static boolean takesSlots(StoreOperation operation, CompiledRuleSet current) {
    return operation == StoreOperation.TAKE && current.limitsInFlight();
  }

  /** Gives back the slots that a decision has taken, since no one will release them. */
  private Decision withoutSlots(Decision decision) {
    permits.release(decision);
    return EvaluatedDecision.of(decision).withoutSlots();
  }

  @Override
  public CompletableFuture<List<Decision>> executeAll(
      List<Request> requests, StoreOperation operation) {
    if (requests.size() == 1) {
      return mapResult(execute(requests.get(0), operation), List::of);
    }
    CompiledRuleSet current = CompiledRuleSet.of(rules.current());
    CompletableFuture<List<Decision>> decided = decideAll(requests, operation, current);
    return takesSlots(operation, current)
        ? mapResult(decided, decisions -> decisions.stream().map(this::withoutSlots).toList())
        : decided;
  }

  @Override
  public CompletableFuture<List<Permit>> acquireAll(List<Request> requests) {
    return mapResult(
        requests.size() == 1
            ? mapResult(
                decide(requests.get(0), StoreOperation.TAKE, CompiledRuleSet.of(rules.current())),
                List::of)
            : decideAll(requests, StoreOperation.TAKE, CompiledRuleSet.of(rules.current())),
        decisions -> decisions.stream().map(permits::hold).toList());
  }

  private CompletableFuture<List<Decision>> decideAll(
      List<Request> requests, StoreOperation operation, CompiledRuleSet current) {
    expire();
    ClaimBatch batch = new ClaimBatch(requests.size());
    for (Request request : requests) {
      batch.add(claimsFor(request, current, operation));
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

  /** Returns the claims of a request; only a take or a peek has claims for slots. */
  private Claim[] claimsFor(Request request, CompiledRuleSet current, StoreOperation operation) {
    Claim[] claims = claimsFor(request, current);
    return current.limitsInFlight()
            && operation != StoreOperation.TAKE
            && operation != StoreOperation.PEEK
        ? withoutSlots(claims)
        : claims;
  }

  private static Claim[] withoutSlots(Claim[] claims) {
    return Arrays.stream(claims).filter(claim -> !claim.limit().isInFlight()).toArray(Claim[]::new);
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
    Claim[] claims =
        withoutSlots(current.allCounterClaims(request, store.fingerprint(), Claim.MAX_COST));
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
  public Decision decideWithin(Request request, Duration timeout) throws InterruptedException {
    return admissionQueue.decideWithin(request, timeout);
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
  public Map<String, Integer> heldSlots() {
    return permits.heldByRule();
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
    permits.close();
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
