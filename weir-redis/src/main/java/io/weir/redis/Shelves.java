package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.store.Guard;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The shelves of one set-up: one on a single server, many in a cluster, spread over its slots.
 *
 * <p>A request whose claims are on several shelves asks each at once; if one refuses, what the
 * others took is given back. Between the two, others may see less room than there will be.
 */
final class Shelves {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  final Setup setup;
  private final Fingerprint fingerprint;
  private final Lane[] lanes;
  private final Store[] guarded;
  private final Refusals refusals;
  private final Lane.Shared shared;

  Shelves(Setup setup, String prefix, Guard guard, Lane.Shared shared) {
    this.setup = setup;
    this.shared = shared;
    fingerprint = setup.fingerprint();
    refusals = shared.refusals();
    lanes = new Lane[setup.shelves()];
    guarded = new Store[lanes.length];
    for (int i = 0; i < lanes.length; i++) {
      String name = prefix + ":{" + Integer.toHexString(i) + "}";
      lanes[i] = new Lane(name.getBytes(US_ASCII), setup, shared);
      guarded[i] = guard.over(lanes[i]);
    }
  }

  Fingerprint fingerprint() {
    return fingerprint;
  }

  /**
   * Asks something that changes nothing, with patience: the first time, both sides have much to
   * load, and the first decision would miss its deadline for it.
   */
  void warmUp() {
    Rule rule = Rule.named("warm-up").limit("1/second").build();
    Claim[] claims = {Claim.of(rule.limits().get(0), 0, 1)};
    try (Guard patient = new Guard(shared.timer(), PATIENCE, 1, StoreListener.NONE)) {
      patient.over(lanes[setup.shelf(claims[0].key())]).take(claims, Mode.PEEK).join();
    }
  }

  /** Lets every shelf forget a little, and give up what is not answered. */
  void tick() {
    for (Lane lane : lanes) {
      lane.tick();
    }
  }

  /** Ends its part in how the store fares; what is still asked of it is answered. */
  void retire() {
    for (Store one : guarded) {
      one.close();
    }
  }

  CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    int shelf = shelf(claims);
    return shelf >= 0 ? guarded[shelf].take(claims, mode, when) : takeAcross(claims, mode, when);
  }

  /** The shelf of all the claims; -1 if there are several. */
  private int shelf(Claim[] claims) {
    int first = setup.shelf(claims[0].key());
    for (int i = 1; i < claims.length; i++) {
      if (setup.shelf(claims[i].key()) != first) {
        return -1;
      }
    }
    return first;
  }

  private CompletableFuture<Outcome[]> takeAcross(Claim[] claims, Mode mode, long when) {
    long sent = shared.clock().micros();
    List<Part> parts = parts(claims);
    parts.forEach(part -> part.answer = guarded[part.shelf].take(part.claims(claims), mode, when));
    return all(parts)
        .thenApply(
            done -> {
              Outcome[] outcomes = join(claims, parts);
              if (mode == Mode.TAKE && !admits(claims, outcomes)) {
                parts.forEach(part -> giveBack(part, claims, outcomes));
                refusals.remember(claims, outcomes, sent);
              }
              return outcomes;
            });
  }

  /** Gives back what one shelf took before another refused. */
  private void giveBack(Part part, Claim[] claims, Outcome[] outcomes) {
    Claim[] theirs = part.claims(claims);
    Outcome[] said = part.answer.join();
    if (!admits(theirs, said)) {
      return; // it charged nothing
    }
    List<Claim> charged = new ArrayList<>();
    for (int i = 0; i < theirs.length; i++) {
      Outcome o = said[i];
      if (o.fits() && !o.degraded()) {
        charged.add(theirs[i]);
        outcomes[part.places.get(i)] =
            new Outcome(
                true, false, o.remaining() + theirs[i].cost(), o.reset(), o.pause(), o.time());
      }
    }
    if (!charged.isEmpty()) {
      Claim[] back = charged.toArray(new Claim[0]);
      var unused = guarded[part.shelf].take(back, Mode.REFUND, said[0].time());
    }
  }

  private static boolean admits(Claim[] claims, Outcome[] outcomes) {
    for (int i = 0; i < claims.length; i++) {
      if (!outcomes[i].fits() && !claims[i].limit().shadow()) {
        return false;
      }
    }
    return true;
  }

  private List<Part> parts(Claim[] claims) {
    TreeMap<Integer, Part> parts = new TreeMap<>();
    for (int i = 0; i < claims.length; i++) {
      parts.computeIfAbsent(setup.shelf(claims[i].key()), Part::new).places.add(i);
    }
    return List.copyOf(parts.values());
  }

  private static CompletableFuture<Void> all(List<Part> parts) {
    return CompletableFuture.allOf(
        parts.stream().map(part -> part.answer).toArray(CompletableFuture<?>[]::new));
  }

  private static Outcome[] join(Claim[] claims, List<Part> parts) {
    Outcome[] outcomes = new Outcome[claims.length];
    for (Part part : parts) {
      Outcome[] said = part.answer.join();
      for (int i = 0; i < said.length; i++) {
        outcomes[part.places.get(i)] = said[i];
      }
    }
    return outcomes;
  }

  /** The claims of a request that are on one shelf, by their places in the request. */
  private static final class Part {
    final int shelf;
    final List<Integer> places = new ArrayList<>();
    CompletableFuture<Outcome[]> answer = new CompletableFuture<>();

    Part(int shelf) {
      this.shelf = shelf;
    }

    Claim[] claims(Claim[] all) {
      return places.stream().map(place -> all[place]).toArray(Claim[]::new);
    }
  }
}
