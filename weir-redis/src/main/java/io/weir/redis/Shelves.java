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
import io.weir.store.nodes.Part;
import io.weir.store.nodes.Refusals;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The shelves of one set-up: one on a single server, many in a cluster, spread over its slots.
 *
 * <p>A request whose claims are on several shelves asks each at once; if one refuses, what the
 * others took is given back. Between the two, others may see less room than there will be.
 */
final class Shelves {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int WARM_UP_ROUNDS = 50;
  private static final int WARM_UP_CONCURRENCY = 32;
  private static final long WARM_UP_MICROS = 250_000;

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
   * Peeks at a counter that nobody uses, many times at once and with patience: the first calls load
   * classes and compile code here, and would miss their deadline for it. Ends after a number of
   * rounds or a short time, whichever comes first.
   */
  void warmUp() {
    Rule rule = Rule.named("warm-up").limit("1/second").build();
    Claim[] claims = {Claim.of(rule.limits().get(0), 0, 1)};
    Lane lane = lanes[setup.shelf(claims[0].key())];
    long until = shared.timer().micros() + WARM_UP_MICROS;
    try (Guard patient =
        new Guard(
            shared.timer(),
            PATIENCE,
            WARM_UP_CONCURRENCY,
            StoreListener.NONE,
            shared.link().replyLoops())) {
      Store store = patient.over(lane);
      for (int round = 0; round < WARM_UP_ROUNDS && shared.timer().micros() < until; round++) {
        CompletableFuture<?>[] peeks = new CompletableFuture<?>[WARM_UP_CONCURRENCY];
        Arrays.setAll(peeks, i -> store.take(claims, Mode.PEEK));
        CompletableFuture.allOf(peeks).join();
      }
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
    List<Part> parts = Part.of(claims, claim -> setup.shelf(claim.key()));
    parts.forEach(part -> part.ask(guarded[part.where()], mode, when));
    return Part.all(parts)
        .thenApply(
            done -> {
              Outcome[] outcomes = Part.join(parts);
              if (mode == Mode.TAKE && !Part.admits(claims, outcomes)) {
                parts.forEach(part -> part.giveBack(guarded[part.where()], outcomes));
                refusals.remember(claims, outcomes, sent);
              }
              return outcomes;
            });
  }
}
