package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;

import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.testkit.StoreContract;
import io.weir.testkit.redis.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class RedisClusterContractTest extends StoreContract {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected ClaimStore open(Clock clock) {
    cluster.primaries().forEach(primary -> primary.command("FLUSHALL"));
    return openAndAwait(RedisStore.at(cluster.uri()).deadline(LONG_DEADLINE).storeClock(clock));
  }
}
