package io.weir;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Store;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The path of a request: one revision of the rules, its claims, one call of the store. */
final class Engine implements Limiter {
  private static final Logger LOG = System.getLogger(Limiter.class.getName());
  private static final Duration CLOSES_WITHIN = Duration.ofSeconds(5);

  /** Holds requests that bring a limit of their own and meet no rule. */
  private static final Rule OF_REQUEST = Rule.named("request-limit").limit("1/second").build();

  private final RuleSource rules;
  private final Store store;
  private final List<DecisionListener> listeners;
  private final Settlements settlements;
  private final Reservations reservations;
  private final AtomicBoolean listenerFailed = new AtomicBoolean();

  Engine(
      RuleSource rules,
      Store store,
      Clock clock,
      List<DecisionListener> listeners,
      Scheduler scheduler) {
    this.rules = rules;
    this.store = store;
    this.listeners = List.copyOf(listeners);
    settlements = new Settlements(store, rules, clock, scheduler);
    reservations = new Reservations(settlements, clock, scheduler);
  }

  @Override
  public CompletableFuture<Decision> ask(Request request, Mode mode) {
    reservations.expire();
    RuleSet current = rules.current();
    Claim[] claims = checked(claims(request, current));
    return then(
        store.take(claims, mode),
        outcomes -> decided(request, mode, new Decision(claims, outcomes, current.revision())));
  }

  @Override
  public CompletableFuture<List<Decision>> askAll(List<Request> requests, Mode mode) {
    if (requests.size() == 1) {
      return then(ask(requests.get(0), mode), List::of);
    }
    reservations.expire();
    RuleSet current = rules.current();
    Together together = new Together(requests.size());
    for (Request request : requests) {
      together.add(claims(request, current));
    }
    List<Request> asked = List.copyOf(requests);
    return then(
        store.take(checked(together.claims()), mode),
        outcomes -> {
          List<Decision> decisions = together.decisions(outcomes, current.revision());
          for (int i = 0; i < asked.size(); i++) {
            var unused = decided(asked.get(i), mode, decisions.get(i));
          }
          return decisions;
        });
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "a reservation of " + ttl + " cannot be; write more than zero and at most a day");
    }
    return ask(request, Mode.TAKE).thenApply(decision -> reservations.open(decision, ttl));
  }

  private Claim[] claims(Request request, RuleSet current) {
    Fingerprint fingerprint = store.fingerprint();
    Rate rate = request.limit();
    if (rate == null) {
      return current.claims(request, fingerprint, request.cost());
    }
    Claim[] claims = current.claims(request, fingerprint, request.cost(), rate);
    if (claims.length > 0) {
      return claims;
    }
    long self = fingerprint.of(request.identity());
    return new Claim[] {Claim.of(OF_REQUEST.limit(rate), self, request.cost())};
  }

  /** Rejects what a store would answer with a failure, which its circuit breaker would count. */
  private static Claim[] checked(Claim[] claims) {
    if (claims.length > TooManyLimitsException.MAX_LIMITS) {
      throw new TooManyLimitsException(claims.length);
    }
    return claims;
  }

  /** As {@code thenApply}, at no cost where the answer is there already. */
  private static <A extends @Nullable Object, B> CompletableFuture<B> then(
      CompletableFuture<A> answer, Function<A, B> next) {
    return answer.isDone()
        ? CompletableFuture.completedFuture(next.apply(answer.join()))
        : answer.thenApply(next);
  }

  @Override
  public CompletableFuture<Decision> reset(Request request) {
    RuleSet current = rules.current();
    Claim[] claims = current.counters(request, store.fingerprint(), Claim.MAX_COST);
    return store
        .take(claims, Mode.REFUND)
        .thenApply(outcomes -> new Decision(claims, outcomes, current.revision()));
  }

  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    Settlements.Settlement refund = settlements.settle(decision, 0);
    return then(refund.attempted(), done -> refund.state() == Reservation.State.SETTLED);
  }

  @Override
  public int pendingSettlements() {
    return settlements.pending();
  }

  @Override
  public void close() {
    close(CLOSES_WITHIN);
  }

  /** Closes it, waiting for the store no longer than said. */
  void close(Duration most) {
    reservations
        .close()
        .thenCompose(cancelled -> settlements.close())
        .completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  private Decision decided(Request request, Mode mode, Decision decision) {
    if (mode == Mode.TAKE || mode == Mode.FORCE) {
      for (DecisionListener listener : listeners) {
        try {
          listener.decided(request, decision);
        } catch (Throwable t) {
          if (listenerFailed.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "a decision listener fails; decisions are not affected", t);
          }
        }
      }
    }
    return decision;
  }
}
