package io.weir.redis;

import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private static final Rule RULE = budget("tls", 100, Posture.CLOSED);

  @TempDir private Path folder = Path.of("");

  @Test
  void countsOverTlsAndTrustsNobodyUnlessTold() throws Exception {
    try (RedisProcess redis = RedisProcess.start("user weir on >secret ~* &* +@all");
        TlsProxy proxy = new TlsProxy(folder, redis.port())) {
      String uri = "rediss://weir:secret@localhost:" + proxy.port();
      try (RedisStore store = joined(RedisStore.at(uri + "?verify=false").deadline(PATIENT))) {
        assertThat(Asking.admitted(store, RULE, "x", 110)).isEqualTo(100);
      }
      try (RedisStore store = RedisStore.at(uri).deadline(PATIENT).open()) {
        assertThat(Asking.take(store, RULE, "x", 1).degraded()).isTrue();
        assertThat(store.health().available()).isFalse();
        Soon.until(LONG, "the reason", () -> store.health().state().contains("certif"));
        assertThat(store.health().state()).doesNotContain("secret");
      }
    }
  }
}
