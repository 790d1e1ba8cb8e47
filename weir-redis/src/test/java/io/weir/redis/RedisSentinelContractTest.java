package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;

import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.testkit.StoreContract;
import io.weir.testkit.redis.RedisSentinels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class RedisSentinelContractTest extends StoreContract {
  private static RedisSentinels sentinels;

  @BeforeAll
  static void start() {
    sentinels = RedisSentinels.start();
  }

  @AfterAll
  static void stop() {
    sentinels.close();
  }

  @Override
  protected ClaimStore open(Clock clock) {
    sentinels.primary().command("FLUSHALL");
    return openAndAwait(RedisStore.at(sentinels.uri()).deadline(LONG_DEADLINE).storeClock(clock));
  }
}
