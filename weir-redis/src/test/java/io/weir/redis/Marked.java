package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.Load.Sample;
import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.testkit.Soon;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Callers whose answers cannot be taken for each other's: their limits are so far apart that no two
 * of them ever have the same number of permits left.
 */
final class Marked implements AutoCloseable {
  private static final int APART = 1_000_000;

  private final List<Rule> rules;
  private final Load load;

  private Marked(Store store, int callers) {
    rules =
        IntStream.range(0, callers)
            .mapToObj(
                i ->
                    Rule.named("marked-" + i)
                        .algorithm("fixed-window") // which may be so large
                        .limit((i + 1L) * APART + "/300d")
                        .onStoreFailure(Posture.CLOSED)
                        .build())
            .toList();
    load =
        Load.on(
            store, callers, i -> new Claim[] {Asking.claim(store, rules.get(i), "caller " + i, 1)});
  }

  static Marked on(Store store, int callers) {
    return new Marked(store, callers);
  }

  Load load() {
    return load;
  }

  void steady() {
    Soon.until(Asking.LONG, "a steady load", () -> load.inARow() > 2000);
  }

  /**
   * Ends it. Every answer was the asker's own: what is left is what its limit leaves after all it
   * was answered, less at most what it asked and was not answered.
   */
  List<Sample> check() {
    List<Sample> all = load.stop();
    long[] asked = new long[rules.size()];
    long[] answered = new long[rules.size()];
    for (Sample sample : all) {
      int i = sample.caller();
      long limit = rules.get(i).limits().get(0).most();
      asked[i]++;
      assertThat(asked[i]).as("questions of one caller, to be told apart").isLessThan(APART);
      if (!sample.degraded()) {
        answered[i]++;
        Outcome o = sample.outcomes().get(0);
        assertThat(o.fits()).isTrue();
        assertThat(o.remaining())
            .as("left of " + limit)
            .isBetween(limit - asked[i], limit - answered[i]);
      }
    }
    return all;
  }

  @Override
  public void close() {
    load.close();
  }
}
