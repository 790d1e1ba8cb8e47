package io.weir;

import io.weir.rule.Claim;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The path of a request: one revision of the rules, its claims, one call of the store. */
final class Engine implements Limiter {
  private static final Logger LOG = System.getLogger(Limiter.class.getName());
  private static final Duration CLOSES_WITHIN = Duration.ofSeconds(5);

  private final RuleSource rules;
  private final Store store;
  private final List<DecisionListener> listeners;
  private final Reservations reservations;
  private final AtomicBoolean listenerFailed = new AtomicBoolean();

  Engine(RuleSource rules, Store store, Clock clock, List<DecisionListener> listeners) {
    this.rules = rules;
    this.store = store;
    this.listeners = List.copyOf(listeners);
    this.reservations = new Reservations(store, clock);
  }

  @Override
  public CompletableFuture<Decision> ask(Request request, Mode mode) {
    reservations.expire();
    RuleSet current = rules.current();
    Claim[] claims = current.claims(request, store.fingerprint(), request.cost());
    CompletableFuture<Outcome[]> answer = store.take(claims, mode);
    if (answer.isDone()) {
      return CompletableFuture.completedFuture(
          decided(request, mode, new Decision(claims, answer.join(), current.revision())));
    }
    return answer.thenApply(
        outcomes -> decided(request, mode, new Decision(claims, outcomes, current.revision())));
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "a reservation of " + ttl + " cannot be; write more than zero and at most a day");
    }
    return ask(request, Mode.TAKE).thenApply(decision -> reservations.open(decision, ttl));
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
  public void close() {
    reservations.close(CLOSES_WITHIN);
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
