package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;

import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.testkit.StoreContract;
import io.weir.testkit.redis.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisStoreContractTest extends StoreContract {
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Override
  protected ClaimStore open(Clock clock) {
    redis.command("FLUSHALL");
    return openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).storeClock(clock));
  }
}
