package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisTlsTest {
  private static final Rule RULE = budget("tls", 100, StoreFailureFallback.CLOSED);

  @TempDir private Path folder = Path.of("");

  @Test
  void tlsConnection_countsAndVerifiesCertificateByDefault() throws Exception {
    try (RedisProcess redis = RedisProcess.start("user weir on >secret ~* &* +@all");
        TlsTerminatingProxy proxy = new TlsTerminatingProxy(folder, redis.port())) {
      String uri = "rediss://weir:secret@localhost:" + proxy.port();
      try (RedisStore store =
          openAndAwait(RedisStore.at(uri + "?verify=false").deadline(LONG_DEADLINE))) {
        assertThat(RedisStoreTestSupport.countAdmitted(store, RULE, "x", 110)).isEqualTo(100);
      }
      try (RedisStore store = RedisStore.at(uri).deadline(LONG_DEADLINE).open()) {
        assertThat(RedisStoreTestSupport.take(store, RULE, "x", 1).degraded()).isTrue();
        assertThat(store.health().available()).isFalse();
        Await.until(AWAIT_TIMEOUT, "the reason", () -> store.health().state().contains("certif"));
        assertThat(store.health().state()).doesNotContain("secret");
      }
    }
  }
}
