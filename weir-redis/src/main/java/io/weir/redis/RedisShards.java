package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.internal.store.nodes.ClaimSubset;
import io.weir.internal.store.nodes.RefusalCache;
import io.weir.internal.store.nodes.SlotHoldingStore;
import io.weir.rule.Rule;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The shards of one layout: one on a single server, many in a cluster, spread over its slots.
 *
 * <p>A request whose claims are on several shards calls all of them concurrently; if one refuses,
 * the charges of the others are refunded. Until then, other requests may see fewer permits
 * available than there will be.
 */
final class RedisShards {
  private static final Duration WARM_UP_DEADLINE = Duration.ofSeconds(1);
  private static final int WARM_UP_ROUNDS = 50;
  private static final int WARM_UP_CONCURRENCY = 32;
  private static final long WARM_UP_MICROS = 250_000;

  final RedisLayout layout;
  private final Fingerprint fingerprint;
  private final BatchingQueue[] queues;
  private final ClaimStore[] guardedShards;
  private final RefusalCache refusals;
  private final BatchingQueue.BatchingContext context;

  RedisShards(
      RedisLayout layout,
      String prefix,
      StoreFailureGuard guard,
      BatchingQueue.BatchingContext context) {
    this.layout = layout;
    this.context = context;
    fingerprint = layout.fingerprint();
    refusals = context.refusals();
    queues = new BatchingQueue[layout.shards()];
    guardedShards = new ClaimStore[queues.length];
    for (int i = 0; i < queues.length; i++) {
      String name = prefix + ":{" + Integer.toHexString(i) + "}";
      queues[i] = new BatchingQueue(name.getBytes(US_ASCII), layout, context);
      guardedShards[i] = new SlotHoldingStore(guard.wrap(queues[i]), context.slots());
    }
  }

  Fingerprint fingerprint() {
    return fingerprint;
  }

  /**
   * Peeks at an unused counter, many times concurrently and with a long deadline: the first calls
   * load classes and compile code, and would otherwise miss their deadline. Ends after a number of
   * rounds or {@link #WARM_UP_MICROS}, whichever comes first.
   */
  void warmUp() {
    Rule rule = Rule.named("warm-up").limit("1/second").build();
    Claim[] claims = {Claim.of(CompiledRule.of(rule).limits().get(0), 0, 1)};
    BatchingQueue queue = queues[layout.shardIndex(claims[0].key())];
    long untilMicros = context.timer().micros() + WARM_UP_MICROS;
    try (StoreFailureGuard warmUpGuard =
        new StoreFailureGuard(
            context.timer(),
            WARM_UP_DEADLINE,
            WARM_UP_CONCURRENCY,
            StoreListener.NONE,
            context.connection().replyEventLoops())) {
      ClaimStore store = warmUpGuard.wrap(queue);
      for (int round = 0;
          round < WARM_UP_ROUNDS && context.timer().micros() < untilMicros;
          round++) {
        CompletableFuture<?>[] peeks = new CompletableFuture<?>[WARM_UP_CONCURRENCY];
        Arrays.setAll(peeks, i -> store.apply(claims, StoreOperation.PEEK));
        CompletableFuture.allOf(peeks).join();
      }
    }
  }

  /** Removes some expired counters from every shard that may have any. */
  void sweepIfDue() {
    for (BatchingQueue queue : queues) {
      queue.sweepIfDue();
    }
  }

  /** Stops counting for the health of the store; pending requests are still answered. */
  void retire() {
    for (ClaimStore guardedShard : guardedShards) {
      guardedShard.close();
    }
  }

  CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation operation, long when) {
    int shard = commonShard(claims);
    return shard >= 0
        ? guardedShards[shard].apply(claims, operation, when)
        : applyAcrossShards(claims, operation, when);
  }

  /** Returns the shard of all the claims; -1 if they are on several shards. */
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
      Claim[] claims, StoreOperation operation, long when) {
    long sentMicros = context.clock().micros();
    List<ClaimSubset> partitions =
        ClaimSubset.split(claims, claim -> layout.shardIndex(claim.key()));
    partitions.forEach(
        partition -> partition.submit(guardedShards[partition.index()], operation, when));
    return ClaimSubset.whenAllAnswered(partitions)
        .thenApply(
            done -> {
              ClaimOutcome[] outcomes = ClaimSubset.join(partitions);
              if (operation == StoreOperation.TAKE && !ClaimSubset.isAdmitted(claims, outcomes)) {
                partitions.forEach(
                    partition -> partition.refund(guardedShards[partition.index()], outcomes));
                refusals.put(claims, outcomes, sentMicros);
              }
              return outcomes;
            });
  }
}
