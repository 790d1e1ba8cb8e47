package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
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
class ClusterShardLossTest {
  private static final int CALLERS = 24;
  private static final int SHARDS = 64;
  private static final int MAX_P99_MICROS = 50_000;

  /** Long, since seven processes on few cores must not look like a lost shard. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** Of one who wants to know soon. */
  private static final Duration SHORT_DEADLINE = Duration.ofMillis(250);

  @ParameterizedTest(name = "A7 Cluster shard lost, by {0}")
  @ValueSource(strings = {"kill", "freeze"})
  void lostShard_leavesOtherCallersExactAndIsServedAgain(String how) {
    Rule rule = budget("a7", 10_000, StoreFailureFallback.CLOSED);
    try (RedisCluster cluster = RedisCluster.start()) {
      // else the whole cluster refuses until the replica has taken over
      setConfig(cluster.servers(), "cluster-require-full-coverage", "no");
      // nor does it take over before it is seen that the shard is missed
      setConfig(cluster.servers(), "cluster-replica-no-failover", "yes");
      setConfig(cluster.servers(), "cluster-replica-validity-factor", "0");
      try (RedisStore store =
              openAndAwait(RedisStore.at(cluster.uri()).deadline(DEADLINE).shards(SHARDS));
          RedisStore eager =
              openAndAwait(RedisStore.at(cluster.uri()).deadline(SHORT_DEADLINE).shards(SHARDS));
          RedisLoadGenerator load =
              RedisLoadGenerator.start(
                  store, CALLERS, i -> new Claim[] {claim(store, rule, "caller " + i, 1)})) {
        Await.until(AWAIT_TIMEOUT, "a steady load", () -> load.answeredInARow() > 4000);
        List<Integer> ports =
            IntStream.range(0, CALLERS)
                .mapToObj(i -> cluster.primaryOf(slot(claim(store, rule, "caller " + i, 1))).port())
                .toList();
        int lost = ports.get(0);
        assertThat(ports).as("callers on other shards").anyMatch(port -> port != lost);
        RedisProcess victim = cluster.primaryOf(slot(claim(store, rule, "caller 0", 1)));

        long began = RedisLoadGenerator.nowMicros();
        if (how.equals("kill")) {
          victim.kill();
        } else {
          victim.freeze();
        }
        Await.until(
            AWAIT_TIMEOUT, "signals", () -> isLost(eager, claim(eager, rule, "caller 0", 1)));
        List<RedisProcess> left =
            cluster.servers().stream().filter(server -> server != victim).toList();
        setConfig(left, "cluster-replica-no-failover", "no");
        Duration took =
            Await.until(
                AWAIT_TIMEOUT,
                "the shard's callers served again",
                () ->
                    !RedisStoreTestSupport.peek(eager, rule, "caller 0").degraded()
                        && load.answeredInARow() > 1000);
        long ended = RedisLoadGenerator.nowMicros();
        List<RedisLoadSample> all = load.stop();
        Await.until(AWAIT_TIMEOUT, "available again", () -> eager.health().available());
        Await.until(AWAIT_TIMEOUT, "and to the other", () -> store.health().available());

        List<RedisLoadSample> others =
            all.stream()
                .filter(s -> s.startMicros() > began && s.endMicros() < ended)
                .filter(s -> ports.get(s.caller()) != lost)
                .toList();
        System.out.printf(
            "A7 %s: served again after %d ms; others' p99 %d us%n",
            how, took.toMillis(), RedisLoadGenerator.p99Micros(others));
        assertThat(others.stream().filter(RedisLoadSample::degraded)).isEmpty();
        List<RedisLoadSample> before = all.stream().filter(s -> s.endMicros() < began).toList();
        assertThat(RedisLoadGenerator.p99Micros(others))
            .as("fast")
            .isLessThan(MAX_P99_MICROS + 3 * RedisLoadGenerator.p99Micros(before));
        for (int i = 0; i < CALLERS; i++) {
          int caller = i;
          List<RedisLoadSample> own = all.stream().filter(s -> s.caller() == caller).toList();
          long admitted = own.stream().filter(RedisLoadSample::admitted).count();
          long unheard =
              own.stream().filter(RedisLoadSample::degraded).count(); // before it was steady
          if (ports.get(i) != lost) {
            assertThat(RedisStoreTestSupport.usedPermits(store, rule, "caller " + i))
                .as("exact")
                .isBetween(admitted, admitted + unheard);
          }
        }
      }
    }
  }

  private static void setConfig(List<RedisProcess> servers, String setting, String value) {
    servers.forEach(server -> server.command("CONFIG", "SET", setting, value));
  }

  /** Asks often enough that it can tell. */
  private static boolean isLost(RedisStore store, Claim claim) {
    Stream.generate(() -> store.apply(new Claim[] {claim}, StoreOperation.PEEK))
        .limit(8)
        .toList()
        .forEach(CompletableFuture::join);
    return !store.health().available();
  }

  private static int slot(Claim claim) {
    int shelf = (int) (claim.key() >>> 48) & (SHARDS - 1);
    return SlotHash.getSlot("weir:{" + Integer.toHexString(shelf) + "}");
  }
}
