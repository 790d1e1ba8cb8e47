package io.weir.bench.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.redis.RedisStore;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Load on one hot counter from one node. */
final class HotKeyLoad {
  private static final int MAX_IN_FLIGHT = 1024;

  private final ClaimStore store;
  private final Claim[] claims;

  /**
   * @param mode exact, leased, local, or synced:100 with the interval in milliseconds
   * @param burst the size of the bucket; 0 for the permits of the limit
   */
  HotKeyLoad(ClaimStore store, String mode, String limit, long burst) {
    this.store = store;
    var rule =
        Rule.named("hot-" + mode.replace(':', '-')).limit(limit).consistency(consistency(mode));
    Rule built = (burst > 0 ? rule.burst(burst) : rule).build();
    claims =
        new Claim[] {
          Claim.of(CompiledRule.of(built).limits().get(0), store.fingerprint().of("all"), 1)
        };
  }

  static RedisStore openStore(String uri) {
    return RedisStore.at(uri).deadline(Duration.ofSeconds(2)).open();
  }

  private static Consistency consistency(String mode) {
    String[] words = mode.split(":", -1);
    Consistency.CountingMode kind =
        Consistency.CountingMode.valueOf(words[0].toUpperCase(Locale.ROOT));
    return new Consistency(
        kind, words.length > 1 ? Duration.ofMillis(Long.parseLong(words[1])) : Duration.ZERO);
  }

  /** Sends requests one after another for a time and returns the number of decisions. */
  long runClosedLoop(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    long count = 0;
    while (System.nanoTime() < end) {
      ClaimOutcome[] outcomes = store.apply(claims, StoreOperation.TAKE).join();
      count += outcomes.length;
    }
    return count;
  }

  /** Sends requests at an even rate, open loop, and returns how many were admitted. */
  long runAtRate(int perSecond, int seconds) {
    long start = System.nanoTime();
    LongAdder admitted = new LongAdder();
    CompletableFuture<?>[] last = new CompletableFuture<?>[MAX_IN_FLIGHT];
    Arrays.fill(last, CompletableFuture.completedFuture(null));
    long total = (long) perSecond * seconds;
    for (long i = 0; i < total; i++) {
      while (System.nanoTime() - start < i * 1_000_000_000 / perSecond) {
        LockSupport.parkNanos(100_000);
      }
      int slot = (int) (i % MAX_IN_FLIGHT);
      last[slot].join();
      last[slot] =
          store
              .apply(claims, StoreOperation.TAKE)
              .thenAccept(outcomes -> admitted.add(outcomes[0].admitted() ? 1 : 0));
    }
    CompletableFuture.allOf(last).join();
    return admitted.sum();
  }
}
