package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.internal.rule.Claim;
import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
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

/** A cluster that loses one of its primaries. */
@Tag("slow")
class ClusterShardLossTest {
  private static final int CALLERS = 24;
  private static final int SHARDS = 64;
  private static final int MAX_P99_MICROS = 50_000;

  /** Long, since seven processes on few cores must not look like a lost primary. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** The deadline of the store that detects the loss and the recovery. */
  private static final Duration SHORT_DEADLINE = Duration.ofMillis(250);

  @ParameterizedTest(name = "a cluster shard is lost by {0}")
  @ValueSource(strings = {"kill", "freeze"})
  void lostShard_leavesOtherCallersExactAndIsServedAgain(String fault) {
    Rule rule = budget("a7", 10_000, StoreFailureFallback.CLOSED);
    try (RedisCluster cluster = RedisCluster.start()) {
      // otherwise the whole cluster rejects commands until the replica has taken over
      setConfig(cluster.servers(), "cluster-require-full-coverage", "no");
      // the replica must not take over before the loss was detected
      setConfig(cluster.servers(), "cluster-replica-no-failover", "yes");
      setConfig(cluster.servers(), "cluster-replica-validity-factor", "0");
      try (RedisStore store =
              openAndAwait(RedisStore.at(cluster.uri()).deadline(DEADLINE).shards(SHARDS));
          RedisStore shortDeadlineStore =
              openAndAwait(RedisStore.at(cluster.uri()).deadline(SHORT_DEADLINE).shards(SHARDS));
          RedisLoadGenerator load =
              RedisLoadGenerator.start(
                  store, CALLERS, i -> new Claim[] {claim(store, rule, "caller " + i, 1)})) {
        Await.until(AWAIT_TIMEOUT, "a steady load", () -> load.answeredInARow() > 4000);
        List<Integer> ports =
            IntStream.range(0, CALLERS)
                .mapToObj(i -> cluster.primaryOf(slot(claim(store, rule, "caller " + i, 1))).port())
                .toList();
        int lostPort = ports.get(0);
        assertThat(ports).as("callers on other primaries").anyMatch(port -> port != lostPort);
        RedisProcess lostServer = cluster.primaryOf(slot(claim(store, rule, "caller 0", 1)));

        long startMicros = RedisLoadGenerator.nowMicros();
        if (fault.equals("kill")) {
          lostServer.kill();
        } else {
          lostServer.freeze();
        }
        Await.until(
            AWAIT_TIMEOUT,
            "signals",
            () -> isLost(shortDeadlineStore, claim(shortDeadlineStore, rule, "caller 0", 1)));
        List<RedisProcess> remainingServers =
            cluster.servers().stream().filter(server -> server != lostServer).toList();
        setConfig(remainingServers, "cluster-replica-no-failover", "no");
        Duration recoveryTime =
            Await.until(
                AWAIT_TIMEOUT,
                "the callers of the lost primary are served again",
                () ->
                    !RedisStoreTestSupport.peek(shortDeadlineStore, rule, "caller 0").degraded()
                        && load.answeredInARow() > 1000);
        long endMicros = RedisLoadGenerator.nowMicros();
        List<RedisLoadSample> samples = load.stop();
        Await.until(
            AWAIT_TIMEOUT,
            "the store with the short deadline is available",
            () -> shortDeadlineStore.health().available());
        Await.until(
            AWAIT_TIMEOUT,
            "the store with the long deadline is available",
            () -> store.health().available());

        List<RedisLoadSample> otherSamples =
            samples.stream()
                .filter(s -> s.startMicros() > startMicros && s.endMicros() < endMicros)
                .filter(s -> ports.get(s.caller()) != lostPort)
                .toList();
        System.out.printf(
            "shard lost by %s: served again after %d ms; p99 of the others %d us%n",
            fault, recoveryTime.toMillis(), RedisLoadGenerator.p99Micros(otherSamples));
        assertThat(otherSamples.stream().filter(RedisLoadSample::degraded)).isEmpty();
        List<RedisLoadSample> earlierSamples =
            samples.stream().filter(s -> s.endMicros() < startMicros).toList();
        assertThat(RedisLoadGenerator.p99Micros(otherSamples))
            .as("p99 of the other callers")
            .isLessThan(MAX_P99_MICROS + 3 * RedisLoadGenerator.p99Micros(earlierSamples));
        for (int i = 0; i < CALLERS; i++) {
          int caller = i;
          List<RedisLoadSample> ownSamples =
              samples.stream().filter(s -> s.caller() == caller).toList();
          long admitted = ownSamples.stream().filter(RedisLoadSample::admitted).count();
          long unanswered =
              ownSamples.stream().filter(RedisLoadSample::degraded).count(); // before it was steady
          if (ports.get(i) != lostPort) {
            assertThat(RedisStoreTestSupport.usedPermits(store, rule, "caller " + i))
                .as("exact")
                .isBetween(admitted, admitted + unanswered);
          }
        }
      }
    }
  }

  private static void setConfig(List<RedisProcess> servers, String setting, String value) {
    servers.forEach(server -> server.command("CONFIG", "SET", setting, value));
  }

  /** Makes enough calls to detect the loss; returns whether the store is unavailable. */
  private static boolean isLost(RedisStore store, Claim claim) {
    Stream.generate(() -> store.apply(new Claim[] {claim}, StoreOperation.PEEK))
        .limit(8)
        .toList()
        .forEach(CompletableFuture::join);
    return !store.health().available();
  }

  private static int slot(Claim claim) {
    int shard = (int) (claim.key() >>> 48) & (SHARDS - 1);
    return SlotHash.getSlot("weir:{" + Integer.toHexString(shard) + "}");
  }
}
