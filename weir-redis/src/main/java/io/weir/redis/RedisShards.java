package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import io.weir.store.StoreFailureGuard;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import io.weir.store.nodes.ClaimPartition;
import io.weir.store.nodes.RefusalCache;
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
final class RedisShards {
  private static final Duration WARM_UP_DEADLINE = Duration.ofSeconds(1);
  private static final int WARM_UP_ROUNDS = 50;
  private static final int WARM_UP_CONCURRENCY = 32;
  private static final long WARM_UP_MICROS = 250_000;

  final RedisLayout layout;
  private final Fingerprint fingerprint;
  private final BatchingQueue[] queues;
  private final Store[] guardedShards;
  private final RefusalCache refusals;
  private final BatchingQueue.BatchingContext context;

  RedisShards(
      RedisLayout setup,
      String prefix,
      StoreFailureGuard guard,
      BatchingQueue.BatchingContext shared) {
    this.layout = setup;
    this.context = shared;
    fingerprint = setup.fingerprint();
    refusals = shared.refusals();
    queues = new BatchingQueue[setup.shards()];
    guardedShards = new Store[queues.length];
    for (int i = 0; i < queues.length; i++) {
      String name = prefix + ":{" + Integer.toHexString(i) + "}";
      queues[i] = new BatchingQueue(name.getBytes(US_ASCII), setup, shared);
      guardedShards[i] = guard.wrap(queues[i]);
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
    BatchingQueue lane = queues[layout.shardIndex(claims[0].key())];
    long until = context.timer().micros() + WARM_UP_MICROS;
    try (StoreFailureGuard patient =
        new StoreFailureGuard(
            context.timer(),
            WARM_UP_DEADLINE,
            WARM_UP_CONCURRENCY,
            StoreListener.NONE,
            context.connection().replyEventLoops())) {
      Store store = patient.wrap(lane);
      for (int round = 0; round < WARM_UP_ROUNDS && context.timer().micros() < until; round++) {
        CompletableFuture<?>[] peeks = new CompletableFuture<?>[WARM_UP_CONCURRENCY];
        Arrays.setAll(peeks, i -> store.apply(claims, StoreOperation.PEEK));
        CompletableFuture.allOf(peeks).join();
      }
    }
  }

  /** Lets every shelf forget a little, and give up what is not answered. */
  void sweepIfDue() {
    for (BatchingQueue lane : queues) {
      lane.sweepIfDue();
    }
  }

  /** Ends its part in how the store fares; what is still asked of it is answered. */
  void retire() {
    for (Store one : guardedShards) {
      one.close();
    }
  }

  CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    int shelf = commonShard(claims);
    return shelf >= 0
        ? guardedShards[shelf].apply(claims, mode, when)
        : applyAcrossShards(claims, mode, when);
  }

  /** The shelf of all the claims; -1 if there are several. */
  private int commonShard(Claim[] claims) {
    int first = layout.shardIndex(claims[0].key());
    for (int i = 1; i < claims.length; i++) {
      if (layout.shardIndex(claims[i].key()) != first) {
        return -1;
      }
    }
    return first;
  }

  private CompletableFuture<ClaimOutcome[]> applyAcrossShards(
      Claim[] claims, StoreOperation mode, long when) {
    long sent = context.clock().micros();
    List<ClaimPartition> parts =
        ClaimPartition.split(claims, claim -> layout.shardIndex(claim.key()));
    parts.forEach(part -> part.submit(guardedShards[part.index()], mode, when));
    return ClaimPartition.whenAllAnswered(parts)
        .thenApply(
            done -> {
              ClaimOutcome[] outcomes = ClaimPartition.join(parts);
              if (mode == StoreOperation.TAKE && !ClaimPartition.isAdmitted(claims, outcomes)) {
                parts.forEach(part -> part.refund(guardedShards[part.index()], outcomes));
                refusals.put(claims, outcomes, sent);
              }
              return outcomes;
            });
  }
}
