package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Limit;
import io.weir.store.Alarm;
import io.weir.store.Clock;
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
 * Counts in this node's memory, and every interval reports to the shared store what was admitted
 * and learns what is left.
 *
 * <p>The {@link View} of a counter decides while it is at most about an interval old. Of a counter
 * that is new here, or was not asked for during an interval, nothing is known of what other nodes
 * admitted meanwhile: the shared store decides such a request, and its answer corrects the view. So
 * together nodes admit at most what {@link Overshoot} states.
 *
 * <p>While the store is away the view decides alone, whatever its age. What could not be reported
 * is kept and reported later, as of when it was used, so that it counts in its own window or, where
 * that is over, not at all. What was reported but not answered is reported again: rather twice than
 * never. Where no room is left to remember what is to be reported, the shared store decides, and
 * while it is away the rule's fallback. Safe for any number of threads.
 */
final class SyncedStore implements Store {
  /** How often exact rules reconcile what was decided here while the store was slow. */
  private static final long IN_A_SPIKE = 100_000;

  /** For how long a store that did not answer is not asked about the same counter again. */
  private static final long RETRY_MICROS = 100_000;

  private final Store shared;
  private final Clock clock;
  private final StoreTime time;
  private final View view;
  private final int maxTallies;
  private final SyncRound.SyncContext context;
  private final Locks locks = new Locks();
  private final Map<Long, SyncRound> rounds = new ConcurrentHashMap<>();

  /**
   * @param clock this node's
   * @param maxTallies how many counters may have something to report at once
   */
  SyncedStore(Store shared, Clock clock, StoreTime time, Alarm alarm, View view, int maxTallies) {
    this.shared = shared;
    this.clock = clock;
    this.time = time;
    this.view = view;
    this.maxTallies = maxTallies;
    context = new SyncRound.SyncContext(clock, time, alarm, view, locks);
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    if (mode == Mode.REFUND) {
      return giveBack(claims, when);
    }
    Outcome[] known = locks.during(claims, () -> judgeIfFresh(claims, mode, when));
    return known == null ? ask(claims, mode, when) : CompletableFuture.completedFuture(known);
  }

  /** Decides by what this node knows, however old that is; null if nothing can be remembered. */
  Outcome @Nullable [] judgeAlone(Claim[] claims, Mode mode, long when) {
    return locks.during(
        claims,
        () -> {
          Tally[] theirs = tallies(claims);
          return theirs == null ? null : judge(claims, theirs, mode, when);
        });
  }

  /** Decides by the view, unless it is too old; null if the shared store must be asked. */
  private Outcome @Nullable [] judgeIfFresh(Claim[] claims, Mode mode, long when) {
    long now = clock.micros();
    Tally[] theirs = new Tally[claims.length];
    for (int i = 0; i < claims.length; i++) {
      SyncRound round = round(claims[i].limit());
      Tally tally = round.tallies().get(claims[i].key());
      if (tally == null || !tally.mayDecide(now, round.maxAge())) {
        return null;
      }
      long requested = tally.requested();
      if (requested > 0 && !view.hasRoom(claims[i], requested)) {
        return null; // it depends on what the store says to requests under way
      }
      theirs[i] = tally;
    }
    return judge(claims, theirs, mode, when);
  }

  private Outcome[] judge(Claim[] claims, Tally[] theirs, Mode mode, long when) {
    Outcome[] outcomes = view.take(claims, mode, when);
    boolean charged = Part.charges(claims, mode, outcomes);
    for (int i = 0; i < claims.length; i++) {
      boolean counts = charged && (outcomes[i].fits() || mode == Mode.FORCE);
      long used = counts ? claims[i].cost() : 0;
      long dated = time.isKnown() ? Math.min(when, outcomes[i].time()) : when;
      theirs[i].add(claims[i].limit(), used, dated);
    }
    return outcomes;
  }

  /** Has the shared store decide. */
  private CompletableFuture<Outcome[]> ask(Claim[] claims, Mode mode, long when) {
    Tally[] theirs = locks.during(claims, () -> request(claims, mode));
    long sent = clock.micros();
    CompletableFuture<Outcome[]> answer = shared.take(claims, mode, when);
    return theirs == null
        ? answer
        : answer.thenApply(
            said ->
                locks.during(
                    claims,
                    () -> {
                      learn(claims, theirs, mode, said, sent);
                      return settle(claims, theirs, mode, when, said);
                    }));
  }

  private Tally @Nullable [] request(Claim[] claims, Mode mode) {
    Tally[] theirs = tallies(claims);
    for (int i = 0; theirs != null && i < claims.length; i++) {
      theirs[i].request(claims[i].limit(), requested(claims[i], mode));
    }
    return theirs;
  }

  private static long requested(Claim claim, Mode mode) {
    return mode == Mode.PEEK ? 0 : claim.cost();
  }

  private void learn(Claim[] claims, Tally[] theirs, Mode mode, Outcome[] said, long sent) {
    for (int i = 0; i < claims.length; i++) {
      theirs[i].requestDone(requested(claims[i], mode));
      time.heard(said[i], sent);
    }
    boolean charged = Part.charges(claims, mode, said);
    for (int i = 0; i < claims.length; i++) {
      boolean known = !said[i].degraded();
      if (known && charged && (said[i].fits() || mode == Mode.FORCE)) { // dated as it is there
        view.take(new Claim[] {claims[i]}, Mode.FORCE, said[i].time());
      }
      if (known) {
        view.learn(claims[i], said[i], theirs[i], sent);
      }
    }
  }

  /**
   * What to answer where the shared store was asked. If it did not answer, this node decides. If it
   * admitted what does not fit beside what this node has admitted by itself and not reported yet,
   * the request is refused after all.
   */
  private Outcome[] settle(Claim[] claims, Tally[] theirs, Mode mode, long when, Outcome[] said) {
    boolean admitted = mode == Mode.TAKE && Part.admits(claims, said);
    boolean degraded = false;
    boolean refused = false;
    boolean[] over = new boolean[claims.length];
    for (int i = 0; i < claims.length; i++) {
      if (said[i].degraded()) {
        degraded = true;
        theirs[i].decideAlone(clock.micros() + RETRY_MICROS);
      } else {
        over[i] = admitted && said[i].fits() && said[i].remaining() < theirs[i].unconfirmed();
        refused |= over[i] && !claims[i].limit().shadow();
      }
    }
    Outcome[] outcomes = said.clone();
    for (int i = 0; i < claims.length && admitted; i++) {
      boolean charged = said[i].fits() && !said[i].degraded();
      if (charged && (degraded || refused || over[i])) {
        Claim[] claim = {claims[i]};
        var unused = shared.take(claim, Mode.REFUND, said[i].time());
        view.take(claim, Mode.REFUND, NOW);
        outcomes[i] = view.take(claim, Mode.PEEK, NOW)[0];
      }
    }
    return degraded ? judge(claims, theirs, mode, when) : outcomes;
  }

  /** Gives back what was not reported yet here alone, and only the rest in the shared store. */
  private CompletableFuture<Outcome[]> giveBack(Claim[] claims, long when) {
    List<Claim> told = new ArrayList<>();
    Outcome[] seen =
        locks.during(
            claims,
            () -> {
              for (Claim claim : claims) {
                Tally tally = round(claim.limit()).tallies().get(claim.key());
                long rest = tally == null ? claim.cost() : tally.takeBack(claim.cost(), when);
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

  /**
   * Takes in what the shared store said of counters it decided on itself.
   *
   * @param sent when it was asked, by this node's clock
   */
  void learn(Claim[] claims, Outcome[] said, long sent) {
    for (int i = 0; i < claims.length; i++) {
      if (!said[i].degraded()) {
        time.heard(said[i], sent);
        synchronized (locks.of(claims[i].key())) {
          Tally tally = round(claims[i].limit()).tallies().get(claims[i].key());
          if (tally == null) {
            view.correct(claims[i], said[i], 0);
          } else {
            view.learn(claims[i], said[i], tally, sent);
          }
        }
      }
    }
  }

  /** The tallies of all claims, new where need be; null if there are too many. */
  private Tally @Nullable [] tallies(Claim[] claims) {
    Tally[] theirs = new Tally[claims.length];
    for (int i = 0; i < claims.length; i++) {
      Tally tally = tally(round(claims[i].limit()), claims[i]);
      if (tally == null) {
        return null;
      }
      theirs[i] = tally;
    }
    return theirs;
  }

  private @Nullable Tally tally(SyncRound round, Claim claim) {
    Tally there = round.tallies().get(claim.key());
    if (there != null || tallies() >= maxTallies) {
      return there;
    }
    Tally made = new Tally(claim.limit(), claim.key());
    round.tallies().put(claim.key(), made);
    return made;
  }

  private SyncRound round(Limit limit) {
    long every = limit.rule().consistency().syncEvery().toNanos() / 1000;
    return rounds.computeIfAbsent(
        every == 0 ? IN_A_SPIKE : every, interval -> new SyncRound(interval, shared, context));
  }

  /** How many counters are remembered. */
  int tallies() {
    int sum = 0;
    for (SyncRound round : rounds.values()) {
      sum += round.tallies().size();
    }
    return sum;
  }

  /** Permits admitted here that the shared store does not know of. */
  long untold() {
    long sum = 0;
    for (SyncRound round : rounds.values()) {
      for (Tally tally : round.tallies().values()) {
        synchronized (locks.of(tally.key)) {
          sum += tally.untold();
        }
      }
    }
    return sum;
  }

  /** By how many microseconds reporting is behind its interval. */
  long lag() {
    return rounds.values().stream().mapToLong(SyncRound::lag).max().orElse(0);
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Reports all that is not reported yet, and no more after that; done when it is answered. */
  CompletableFuture<Void> tellAll() {
    return CompletableFuture.allOf(
        rounds.values().stream().map(SyncRound::close).toArray(CompletableFuture<?>[]::new));
  }
}
