package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Consistency.Kind;
import io.weir.rule.Fingerprint;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import io.weir.store.Guard;
import io.weir.store.Health;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A store that nodes share, asked as strictly as each rule says: exact, leased, synced or local.
 *
 * <p>A request whose rules are counted in different ways is judged where it costs least first; what
 * that took is given back when a later one refuses. Safe for any number of threads.
 */
public final class RoutedStore implements Store {
  private static final long LOCAL_BYTES = 256L << 20;
  private static final long TALLY_BYTES = 256;
  private static final long CLOSES_WITHIN_MS = 500;
  private static final List<Kind> CHEAPEST_FIRST =
      List.of(Kind.LOCAL, Kind.SYNCED, Kind.LEASED, Kind.EXACT);
  private static final int REMOTE_FROM = CHEAPEST_FIRST.indexOf(Kind.LEASED);

  private final Store shared;
  private final Guard guard;
  private final Clock clock;
  private final SyncedStore synced;
  private final LeasedStore leased;
  private final Refusals refusals;
  private final Map<Kind, Store> stores = new EnumMap<>(Kind.class);

  /**
   * @param shared decides exactly, for all nodes
   * @param guard of the shared store, whose clock is this node's
   * @param spike above which latency of the shared store exact rules are answered from what this
   *     node knows, and reconciled after; zero for never
   */
  public RoutedStore(Store shared, Guard guard, Alarm alarm, Duration spike) {
    this.shared = shared;
    this.guard = guard;
    clock = guard.clock();
    StoreTime time = new StoreTime(clock);
    long bytes = Math.min(LOCAL_BYTES, Runtime.getRuntime().maxMemory() / 8) / 2;
    View view = new View(new MemoryStore(time, bytes));
    synced = new SyncedStore(shared, clock, time, alarm, view, (int) (bytes / TALLY_BYTES));
    leased = new LeasedStore(shared, clock, alarm);
    refusals = new Refusals(clock);
    stores.put(Kind.LOCAL, new MemoryStore(clock, bytes));
    stores.put(Kind.SYNCED, synced);
    stores.put(Kind.LEASED, leased);
    stores.put(Kind.EXACT, shared);
    if (!spike.isZero()) {
      Spikes spikes = new Spikes(clock, spike.toNanos() / 1000);
      stores.put(Kind.EXACT, new SteadyStore(shared, synced, clock, spikes));
    }
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    Kind first = claims.length == 0 ? Kind.EXACT : kind(claims[0]);
    for (int i = 1; i < claims.length; i++) {
      if (kind(claims[i]) != first) {
        return takeAcross(claims, mode, when);
      }
    }
    CompletableFuture<Outcome[]> answer = at(first).take(claims, mode, when);
    return mode == Mode.REFUND ? forgetRefusals(claims, answer) : answer;
  }

  /** Lets requests that were refused be judged again, now that something is given back. */
  private CompletableFuture<Outcome[]> forgetRefusals(
      Claim[] claims, CompletableFuture<Outcome[]> refund) {
    refusals.forget(claims);
    return refund.thenApply(
        outcomes -> {
          refusals.forget(claims);
          return outcomes;
        });
  }

  private static Kind kind(Claim claim) {
    return claim.limit().rule().consistency().kind();
  }

  private Store at(Kind kind) {
    return stores.getOrDefault(kind, shared);
  }

  private Store at(Part part) {
    return at(CHEAPEST_FIRST.get(part.where()));
  }

  private CompletableFuture<Outcome[]> takeAcross(Claim[] claims, Mode mode, long when) {
    List<Part> parts = Part.of(claims, claim -> CHEAPEST_FIRST.indexOf(kind(claim)));
    if (mode != Mode.TAKE) {
      parts.forEach(part -> part.ask(at(part), mode, when));
      CompletableFuture<Outcome[]> answer = Part.all(parts).thenApply(done -> Part.join(parts));
      return mode == Mode.REFUND ? forgetRefusals(claims, answer) : answer;
    }
    Outcome[] known = refusals.recall(claims);
    return known == null
        ? takeFrom(parts, 0, claims, new Start(clock.micros(), guard.liveMicros()))
        : CompletableFuture.completedFuture(known);
  }

  /** When a decision began: by this node's clock, and by the time it was running. */
  private record Start(long at, long live) {}

  /** Has the parts judged one after the other, as long as they admit the request. */
  private CompletableFuture<Outcome[]> takeFrom(
      List<Part> parts, int from, Claim[] claims, Start start) {
    if (from == parts.size()) {
      return CompletableFuture.completedFuture(Part.join(parts));
    }
    Part part = parts.get(from);
    ask(part, Mode.TAKE, start);
    return part.answer()
        .thenCompose(
            said ->
                part.admits()
                    ? takeFrom(parts, from + 1, claims, start)
                    : refuse(parts, from, claims, start));
  }

  /** A store that was silent for one part is not waited for once more. */
  private void ask(Part part, Mode mode, Start start) {
    if (part.where() >= REMOTE_FROM && guard.isLate(start.live)) {
      part.answered(guard.answerFor(part.claims(), mode, NOW));
    } else {
      part.ask(at(part), mode, NOW);
    }
  }

  /** Gives back what was taken before one refused, and asks the rest only what it would say. */
  private CompletableFuture<Outcome[]> refuse(
      List<Part> parts, int refusing, Claim[] claims, Start start) {
    List<Part> rest = parts.subList(refusing + 1, parts.size());
    rest.forEach(part -> ask(part, Mode.PEEK, start));
    return Part.all(rest)
        .thenApply(
            done -> {
              Outcome[] outcomes = Part.join(parts);
              parts.subList(0, refusing).forEach(part -> part.giveBack(at(part), outcomes));
              refusals.remember(claims, outcomes, start.at);
              return outcomes;
            });
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Permits borrowed of leased rules and not spent. */
  public long leased() {
    return leased.held();
  }

  /** Permits admitted here that the shared store has not been told of yet. */
  public long untold() {
    return synced.untold();
  }

  /** How many synced counters this node remembers. */
  int syncedCounters() {
    return synced.tallies();
  }

  /** By how many microseconds reporting of synced counters is behind its interval. */
  public long syncLag() {
    return synced.lag();
  }

  @Override
  public boolean available() {
    return shared.available();
  }

  @Override
  public Health health() {
    return shared.health();
  }

  /** Gives back what is borrowed and tells what is not told; the shared store stays open. */
  @Override
  public void close() {
    CompletableFuture.allOf(leased.giveAllBack(), synced.tellAll())
        .completeOnTimeout(null, CLOSES_WITHIN_MS, TimeUnit.MILLISECONDS)
        .join();
  }
}
