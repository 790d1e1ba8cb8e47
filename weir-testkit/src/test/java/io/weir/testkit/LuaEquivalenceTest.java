package io.weir.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.store.StoreOperation;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Lua scripts decide like the Java code at every step, whatever the clock does: compares the
 * reference store with the scripts in a real Redis.
 */
class LuaEquivalenceTest {
  private static final int DECISIONS_PER_CALL = 200;
  private static final Fingerprint FINGERPRINT = new Fingerprint(1, 2);

  private static RedisProcess redis;
  private static String replay;

  @BeforeAll
  static void start() throws IOException {
    redis = RedisProcess.start("busy-reply-threshold 60000");
    String script =
        Algorithms.lua()
            + resource(ClaimStore.class, "decide.lua")
            + resource(LuaEquivalenceTest.class, "replay.lua");
    replay = String.valueOf(redis.command("SCRIPT", "LOAD", script));
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  /** Each algorithm alone, then all together in decisions with several claims. */
  static Stream<List<Algorithm>> mixes() {
    return Stream.concat(Algorithms.all().stream().map(List::of), Stream.of(Algorithms.all()));
  }

  @ParameterizedTest
  @MethodSource("mixes")
  void luaDecisions_equalJavaDecisions(List<Algorithm> mix) {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int refused = 0;
    int steps = 0;
    while (steps < RandomHistory.steps()) {
      List<Limit> limits = new ArrayList<>();
      for (Algorithm algorithm : mix) {
        String id = "r" + limits.size();
        limits.add(
            mix.size() > 1
                ? history.limit(id, algorithm)
                : CompiledRule.of(history.rule(id, algorithm).build()).limits().get(0));
      }
      StringBuilder words = new StringBuilder(limits.size() + " ");
      limits.forEach(limit -> words.append(describe(limit)));
      StringBuilder expected = new StringBuilder();
      ReferenceStore map = new ReferenceStore();
      for (int i = 0; i < DECISIONS_PER_CALL; i++, steps++) {
        refused += step(history, limits, map, words, expected);
      }
      assertThat(redis.command("EVALSHA", replay, "0", words.toString()))
          .as("-Dweir.seed=%d after %d steps: %s", seed, steps, limits)
          .isEqualTo(expected.toString().trim());
    }
    assertThat(refused).as("share of refusals").isBetween(steps / 20, steps * 19 / 20);
  }

  private static int step(
      RandomHistory history,
      List<Limit> limits,
      ReferenceStore map,
      StringBuilder words,
      StringBuilder expected) {
    long now = history.next(limits.get(history.below(limits.size())).parameters());
    long earlier = history.oneIn(3) ? now - history.below(2_000_000_000) : now;
    StoreOperation mode =
        history.oneIn(3) ? history.pick(List.of(StoreOperation.values())) : StoreOperation.TAKE;
    Map<Long, Integer> last = new HashMap<>();
    List<Claim> claims = new ArrayList<>();
    StringBuilder asked = new StringBuilder();
    int size = 1 + history.below(limits.size());
    for (int i = 0; i < size; i++) {
      int limit = history.below(limits.size());
      int caller = history.below(2);
      boolean all = mode == StoreOperation.REFUND && history.oneIn(4);
      long cost = all ? Claim.MAX_COST : history.cost(limits.get(limit).capacity());
      claims.add(Claim.of(limits.get(limit), FINGERPRINT.of("caller " + caller), cost));
      last.put(claims.get(i).key(), i);
      asked.append(limit + " " + caller + " " + cost + " ");
    }
    Claim[] array = claims.toArray(new Claim[0]);
    long when = mode == StoreOperation.REFUND || mode == StoreOperation.FORCE ? earlier : now;
    boolean alike = mode == StoreOperation.TAKE && last.size() == size && history.oneIn(4);
    int count = alike ? 1 + history.below(5) : 1;
    words.append(mode.name().toLowerCase(Locale.ROOT) + " " + now + " ");
    words.append(when + " " + count + " " + size + " " + asked);
    int granted = 0;
    ClaimOutcome[] outcomes = {};
    for (int i = 0; i < count; i++) {
      outcomes = map.apply(array, mode, now, when);
      granted += admitted(array, outcomes) ? 1 : 0;
    }
    for (Claim claim : array) {
      ClaimOutcome o = outcomes[last.getOrDefault(claim.key(), 0)];
      boolean drained = mode == StoreOperation.LEASE && !o.admitted();
      expected.append((drained ? 0 : o.remaining()) + " " + o.reset() + " ");
    }
    return granted < count ? 1 : 0;
  }

  private static boolean admitted(Claim[] claims, ClaimOutcome[] outcomes) {
    boolean all = true;
    for (int i = 0; i < claims.length; i++) {
      all &= outcomes[i].admitted() || claims[i].limit().shadow();
    }
    return all;
  }

  private static String describe(Limit limit) {
    LimitParameters t = limit.parameters();
    return String.format(
        "%s %d %d %d %d %d %d %d %d %d ",
        limit.rule().algorithm(),
        (limit.shadow() ? 1 : 0) + (limit.deferred() ? 2 : 0),
        t.permits(),
        t.periodMicros(),
        t.burst(),
        t.coolDownMicros(),
        t.unitsPerPermit(),
        t.rateUnits(),
        t.rateMicros(),
        t.sliceCount());
  }

  private static String resource(Class<?> beside, String name) throws IOException {
    try (InputStream in = beside.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
