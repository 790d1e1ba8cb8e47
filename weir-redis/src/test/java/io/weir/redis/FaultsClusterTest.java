package io.weir.redis;

import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.redis.Load.Sample;
import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisCluster;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster that loses one of its shards. */
@Tag("slow")
class FaultsClusterTest {
  private static final int CALLERS = 24;
  private static final int SHELVES = 64;
  private static final int FAST_MICROS = 50_000;

  /** Long, since seven processes on few cores must not look like a lost shard. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** Of one who wants to know soon. */
  private static final Duration EAGER = Duration.ofMillis(250);

  @ParameterizedTest(name = "A7 Cluster shard lost, by {0}")
  @ValueSource(strings = {"kill", "freeze"})
  void a7_shardLost(String how) {
    Rule rule = budget("a7", 10_000, Posture.CLOSED);
    try (RedisCluster cluster = RedisCluster.start()) {
      // else the whole cluster refuses until the replica has taken over
      set(cluster.servers(), "cluster-require-full-coverage", "no");
      // nor does it take over before it is seen that the shard is missed
      set(cluster.servers(), "cluster-replica-no-failover", "yes");
      set(cluster.servers(), "cluster-replica-validity-factor", "0");
      try (RedisStore store =
              joined(RedisStore.at(cluster.uri()).deadline(DEADLINE).shelves(SHELVES));
          RedisStore eager = joined(RedisStore.at(cluster.uri()).deadline(EAGER).shelves(SHELVES));
          Load load =
              Load.on(store, CALLERS, i -> new Claim[] {claim(store, rule, "caller " + i, 1)})) {
        Soon.until(LONG, "a steady load", () -> load.inARow() > 4000);
        List<Integer> ports =
            IntStream.range(0, CALLERS)
                .mapToObj(i -> cluster.primaryOf(slot(claim(store, rule, "caller " + i, 1))).port())
                .toList();
        int lost = ports.get(0);
        assertThat(ports).as("callers on other shards").anyMatch(port -> port != lost);
        RedisProcess victim = cluster.primaryOf(slot(claim(store, rule, "caller 0", 1)));

        long began = Load.now();
        if (how.equals("kill")) {
          victim.kill();
        } else {
          victim.freeze();
        }
        Soon.until(LONG, "signals", () -> isLost(eager, claim(eager, rule, "caller 0", 1)));
        List<RedisProcess> left =
            cluster.servers().stream().filter(server -> server != victim).toList();
        set(left, "cluster-replica-no-failover", "no");
        Duration took =
            Soon.until(
                LONG,
                "the shard's callers served again",
                () -> !Asking.peek(eager, rule, "caller 0").degraded() && load.inARow() > 1000);
        long ended = Load.now();
        List<Sample> all = load.stop();
        Soon.until(LONG, "available again", () -> eager.health().available());
        Soon.until(LONG, "and to the other", () -> store.health().available());

        List<Sample> others =
            all.stream()
                .filter(s -> s.began() > began && s.ended() < ended)
                .filter(s -> ports.get(s.caller()) != lost)
                .toList();
        System.out.printf(
            "A7 %s: served again after %d ms; others' p99 %d us%n",
            how, took.toMillis(), Load.p99(others));
        assertThat(others.stream().filter(Sample::degraded)).isEmpty();
        List<Sample> before = all.stream().filter(s -> s.ended() < began).toList();
        assertThat(Load.p99(others)).as("fast").isLessThan(FAST_MICROS + 3 * Load.p99(before));
        for (int i = 0; i < CALLERS; i++) {
          int caller = i;
          List<Sample> own = all.stream().filter(s -> s.caller() == caller).toList();
          long admitted = own.stream().filter(Sample::admitted).count();
          long unheard = own.stream().filter(Sample::degraded).count(); // before it was steady
          if (ports.get(i) != lost) {
            assertThat(Asking.used(store, rule, "caller " + i))
                .as("exact")
                .isBetween(admitted, admitted + unheard);
          }
        }
      }
    }
  }

  private static void set(List<RedisProcess> servers, String setting, String value) {
    servers.forEach(server -> server.command("CONFIG", "SET", setting, value));
  }

  /** Asks often enough that it can tell. */
  private static boolean isLost(RedisStore store, Claim claim) {
    Stream.generate(() -> store.take(new Claim[] {claim}, Mode.PEEK))
        .limit(8)
        .toList()
        .forEach(CompletableFuture::join);
    return !store.health().available();
  }

  private static int slot(Claim claim) {
    int shelf = (int) (claim.key() >>> 48) & (SHELVES - 1);
    return SlotHash.getSlot("weir:{" + Integer.toHexString(shelf) + "}");
  }
}
