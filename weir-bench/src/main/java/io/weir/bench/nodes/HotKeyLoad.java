package io.weir.bench.nodes;

import io.weir.redis.RedisStore;
import io.weir.rule.Claim;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** One counter that everybody asks for, on one node. */
final class HotKeyLoad {
  private static final int MAX_IN_FLIGHT = 1024;

  private final Store store;
  private final Claim[] claims;

  /**
   * @param how exact, leased, local, or synced:100 for milliseconds
   * @param burst 0 for the limit's own
   */
  HotKeyLoad(Store store, String how, String limit, long burst) {
    this.store = store;
    var rule =
        Rule.named("hot-" + how.replace(':', '-')).limit(limit).consistency(consistency(how));
    Rule made = (burst > 0 ? rule.burst(burst) : rule).build();
    claims = new Claim[] {Claim.of(made.limits().get(0), store.fingerprint().of("all"), 1)};
  }

  static RedisStore openStore(String uri) {
    return RedisStore.at(uri).deadline(Duration.ofSeconds(2)).open();
  }

  private static Consistency consistency(String how) {
    String[] words = how.split(":", -1);
    Consistency.CountingMode kind =
        Consistency.CountingMode.valueOf(words[0].toUpperCase(Locale.ROOT));
    return new Consistency(
        kind, words.length > 1 ? Duration.ofMillis(Long.parseLong(words[1])) : Duration.ZERO);
  }

  /** Asks again and again, one at a time, for so long; how many decisions that were. */
  long runClosedLoop(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    long count = 0;
    while (System.nanoTime() < end) {
      ClaimOutcome[] said = store.apply(claims, StoreOperation.TAKE).join();
      count += said.length;
    }
    return count;
  }

  /** Asks so often a second, evenly, whatever it is told; how many requests were admitted. */
  long runAtRate(int perSecond, int seconds) {
    long began = System.nanoTime();
    LongAdder admitted = new LongAdder();
    CompletableFuture<?>[] last = new CompletableFuture<?>[MAX_IN_FLIGHT];
    Arrays.fill(last, CompletableFuture.completedFuture(null));
    long total = (long) perSecond * seconds;
    for (long i = 0; i < total; i++) {
      while (System.nanoTime() - began < i * 1_000_000_000 / perSecond) {
        LockSupport.parkNanos(100_000);
      }
      int place = (int) (i % MAX_IN_FLIGHT);
      last[place].join();
      last[place] =
          store
              .apply(claims, StoreOperation.TAKE)
              .thenAccept(said -> admitted.add(said[0].admitted() ? 1 : 0));
    }
    CompletableFuture.allOf(last).join();
    return admitted.sum();
  }
}
