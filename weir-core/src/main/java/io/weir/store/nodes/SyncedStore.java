package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Limit;
import io.weir.store.Alarm;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts in this node's memory, and every interval tells the shared store what was admitted and
 * hears what is left.
 *
 * <p>The {@link View} is right whenever nodes have reconciled, and between that each may admit what
 * it sees: {@link Overshoot} says how much that is together.
 *
 * <p>What could not be told is kept and told later, as of when it was used, so that it counts in
 * its own window or, where that is over, not at all. What was told but not answered is told again:
 * rather twice than never. Safe for any number of threads.
 */
final class SyncedStore implements Store {
  private static final int AT_ONCE = 2000;

  /** How often exact rules reconcile what was decided here while the store was slow. */
  private static final long IN_A_SPIKE = 100_000;

  private final Store shared;
  private final Alarm alarm;
  private final StoreTime time;
  private final View view;
  private final Locks locks = new Locks();
  private final Map<Long, Round> rounds = new ConcurrentHashMap<>();
  private CompletableFuture<Void> asked = CompletableFuture.completedFuture(null);
  private volatile boolean closed;

  /** The counters that are reconciled every so many microseconds. */
  private final class Round {
    final long every;
    final Map<Long, Tally> tallies = new ConcurrentHashMap<>();
    volatile boolean away;

    Round(long every) {
      this.every = every;
      alarm.after(every, this::run);
    }

    private void run() {
      if (!closed) {
        alarm.after(every, this::run);
      }
      var unused = reconcile(this);
    }
  }

  SyncedStore(Store shared, StoreTime time, Alarm alarm, View view) {
    this.shared = shared;
    this.time = time;
    this.alarm = alarm;
    this.view = view;
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    if (mode == Mode.REFUND) {
      return giveBack(claims, when);
    }
    return time.isKnown()
        ? CompletableFuture.completedFuture(judge(claims, mode, when))
        : askTime(claims).thenApply(heard -> judge(claims, mode, when));
  }

  /** Asks the shared store for its time, and so in which window this is; once for all that wait. */
  private synchronized CompletableFuture<Void> askTime(Claim[] claims) {
    if (asked.isDone() && !time.isKnown()) {
      asked = shared.take(claims, Mode.PEEK).thenAccept(said -> learn(claims, said));
    }
    return asked;
  }

  private Outcome[] judge(Claim[] claims, Mode mode, long when) {
    return locks.during(claims, () -> judgeLocked(claims, mode, when));
  }

  private Outcome[] judgeLocked(Claim[] claims, Mode mode, long when) {
    Outcome[] outcomes = view.take(claims, mode, when);
    boolean charged = mode == Mode.FORCE || (mode == Mode.TAKE && Part.admits(claims, outcomes));
    for (int i = 0; i < claims.length; i++) {
      boolean counts = charged && (outcomes[i].fits() || mode == Mode.FORCE);
      long used = counts ? claims[i].cost() : 0;
      long dated = time.isKnown() ? Math.min(when, outcomes[i].time()) : when;
      tally(claims[i]).add(claims[i].limit(), used, dated);
    }
    return outcomes;
  }

  /** Gives back what was not told yet here alone, and only the rest in the shared store. */
  private CompletableFuture<Outcome[]> giveBack(Claim[] claims, long when) {
    List<Claim> told = new ArrayList<>();
    Outcome[] seen =
        locks.during(
            claims,
            () -> {
              for (Claim claim : claims) {
                long rest = tally(claim).takeBack(claim.cost(), when);
                if (rest > 0) {
                  told.add(new Claim(claim.limit(), claim.key(), rest));
                }
              }
              return view.take(claims, Mode.REFUND, when);
            });
    return told.isEmpty()
        ? CompletableFuture.completedFuture(seen)
        : shared.take(told.toArray(new Claim[0]), Mode.REFUND, when).thenApply(said -> seen);
  }

  /** Takes in what the shared store said of counters it decided on itself. */
  void learn(Claim[] claims, Outcome[] said) {
    for (int i = 0; i < claims.length; i++) {
      if (!said[i].degraded()) {
        time.heard(said[i]);
        synchronized (locks.of(claims[i].key())) {
          Tally tally = round(claims[i].limit()).tallies.get(claims[i].key());
          view.correct(claims[i], said[i], tally == null ? 0 : tally.untold());
        }
      }
    }
  }

  private Tally tally(Claim claim) {
    return round(claim.limit())
        .tallies
        .computeIfAbsent(claim.key(), key -> new Tally(claim.limit(), key));
  }

  private Round round(Limit limit) {
    long every = limit.rule().consistency().syncEvery().toNanos() / 1000;
    return rounds.computeIfAbsent(every == 0 ? IN_A_SPIKE : every, Round::new);
  }

  /** Tells the shared store what is new, as much as it can take at once. */
  private CompletableFuture<Void> reconcile(Round round) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Tally tally : round.tallies.values()) {
      if (answers.size() >= (round.away ? 1 : AT_ONCE)) {
        break; // the rest when it answers, or in the next round
      }
      CompletableFuture<Void> answer = tell(tally, round);
      if (answer != null) {
        answers.add(answer);
      }
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }

  /**
   * Tells what is new of one counter, or asks what is left. While the store is away it is only
   * asked, since what it does not answer it may have charged all the same. Null if there is nothing
   * to tell or to ask.
   */
  private @Nullable CompletableFuture<Void> tell(Tally tally, Round round) {
    List<Tally.Charge> charges;
    synchronized (locks.of(tally.key)) {
      if (!tally.isDue()) {
        if (!tally.isUnderWay()) {
          round.tallies.remove(tally.key, tally);
        }
        return null;
      }
      charges = tally.begin();
    }
    return round.away
        ? tell(tally, round, List.of(), charges)
        : tell(tally, round, charges, List.of());
  }

  /**
   * Tells charges one after the other, and then hears what is left.
   *
   * @param kept charges that are not told this time
   */
  private CompletableFuture<Void> tell(
      Tally tally, Round round, List<Tally.Charge> charges, List<Tally.Charge> kept) {
    boolean tells = !charges.isEmpty();
    long permits = tells ? Math.min(charges.get(0).permits(), Claim.MAX_COST) : 1;
    Claim[] claim = {new Claim(tally.limit(), tally.key, permits)};
    CompletableFuture<Outcome[]> answer =
        tells
            ? shared.take(claim, Mode.FORCE, charges.get(0).when())
            : shared.take(claim, Mode.PEEK);
    return answer.thenCompose(
        said -> {
          round.away = said[0].degraded();
          if (!round.away && charges.size() > 1) {
            return tell(tally, round, charges.subList(1, charges.size()), kept);
          }
          heard(tally, claim[0], said[0], round.away && tells ? charges : kept);
          return CompletableFuture.completedFuture(null);
        });
  }

  private void heard(Tally tally, Claim claim, Outcome said, List<Tally.Charge> untold) {
    time.heard(said);
    List<Tally.Charge> back;
    synchronized (locks.of(tally.key)) {
      back = tally.end(untold);
      if (!said.degraded()) {
        view.correct(claim, said, tally.untold());
      }
    }
    for (Tally.Charge one : back) {
      Claim[] refund = {new Claim(claim.limit(), claim.key(), one.permits())};
      var unused = shared.take(refund, Mode.REFUND, one.when());
    }
  }

  /** Permits admitted here that the shared store does not know of. */
  long untold() {
    long sum = 0;
    for (Round round : rounds.values()) {
      for (Tally tally : round.tallies.values()) {
        synchronized (locks.of(tally.key)) {
          sum += tally.untold();
        }
      }
    }
    return sum;
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Tells all that is not told yet, and no more after that; done when the store has answered. */
  CompletableFuture<Void> tellAll() {
    closed = true;
    return CompletableFuture.allOf(
        rounds.values().stream().map(this::reconcile).toArray(CompletableFuture<?>[]::new));
  }
}
