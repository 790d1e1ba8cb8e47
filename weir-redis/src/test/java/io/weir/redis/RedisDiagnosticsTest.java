package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.store.StoreException;
import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import io.weir.redis.RedisDiagnostics.RedisTopology;
import io.weir.store.Clock;
import io.weir.testkit.redis.RedisCluster;
import io.weir.testkit.redis.RedisProcess;
import io.weir.testkit.redis.RedisSentinels;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RedisDiagnosticsTest {

  @Test
  void singleServer_isReadWithoutWriting() {
    try (RedisProcess redis = RedisProcess.start("maxmemory-policy allkeys-lru")) {
      RedisDiagnostics diagnostics = RedisDiagnostics.read(redis.uri(), Clock.wall());
      assertThat(diagnostics.topology()).isEqualTo(RedisTopology.SINGLE);
      RedisServerDiagnostics server = diagnostics.servers().get(0);
      assertThat(server.name()).isEqualTo("127.0.0.1:" + redis.port());
      assertThat(server.failure()).isEmpty();
      assertThat(server.info())
          .containsEntry("maxmemory_policy", "allkeys-lru")
          .containsEntry("role", "master")
          .containsEntry("aof_enabled", "0");
      assertThat(server.settings()).containsEntry("appendfsync", "everysec");
      assertThat(server.clockOffset().abs()).isLessThan(Duration.ofSeconds(5));
      assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void wrongClock_showsAsOffset() {
    try (RedisProcess redis = RedisProcess.start()) {
      Clock slowClock = () -> Clock.wall().micros() - 60_000_000;
      Duration ahead = RedisDiagnostics.read(redis.uri(), slowClock).servers().get(0).clockOffset();
      assertThat(ahead).isBetween(Duration.ofSeconds(55), Duration.ofSeconds(65));
    }
  }

  @Test
  void forbiddenCommands_leaveFieldsEmpty() {
    try (RedisProcess redis =
        RedisProcess.start(
            "user weir on >secret ~weir:* +@read +@write +@scripting +@connection +time -info")) {
      String url = "redis://weir:secret@127.0.0.1:" + redis.port();
      RedisServerDiagnostics server = RedisDiagnostics.read(url, Clock.wall()).servers().get(0);
      assertThat(server.failure()).isEmpty();
      assertThat(server.info()).isEmpty();
      assertThat(server.settings()).isEmpty();
      assertThatThrownBy(() -> RedisDiagnostics.read(url.replace("secret", "other"), Clock.wall()))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("rejects the user or password")
          .hasMessageNotContaining("other");
    }
  }

  @Test
  void frozenOrMissingServer_isReportedUnreachable() {
    RedisProcess redis = RedisProcess.start();
    try (redis) {
      redis.freeze();
      assertThatThrownBy(() -> RedisDiagnostics.read(redis.uri(), Clock.wall()))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("cannot be reached");
      redis.thaw();
    }
    assertThatThrownBy(() -> RedisDiagnostics.read(redis.uri(), Clock.wall()))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("cannot be reached");
  }

  @Test
  void cluster_listsAllNodesIncludingLostOne() {
    try (RedisCluster cluster = RedisCluster.start()) {
      RedisDiagnostics diagnostics = RedisDiagnostics.read(cluster.uri(), Clock.wall());
      assertThat(diagnostics.topology()).isEqualTo(RedisTopology.CLUSTER);
      assertThat(diagnostics.servers()).hasSize(6);
      assertThat(diagnostics.servers())
          .allSatisfy(s -> assertThat(s.info()).containsEntry("cluster_state", "ok"))
          .allSatisfy(
              s -> assertThat(s.settings()).containsEntry("cluster-require-full-coverage", "yes"));
      cluster.primaries().get(0).kill();
      assertThat(RedisDiagnostics.read(cluster.uri(), Clock.wall()).servers())
          .filteredOn(s -> !s.failure().isEmpty())
          .hasSize(1);
    }
  }

  @Test
  void sentinels_nameTheMaster() {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      RedisDiagnostics diagnostics = RedisDiagnostics.read(sentinels.uri(), Clock.wall());
      assertThat(diagnostics.topology()).isEqualTo(RedisTopology.SENTINEL);
      assertThat(diagnostics.sentinelMaster())
          .containsEntry("num-slaves", "2")
          .containsEntry("quorum", "2");
      assertThat(diagnostics.servers().get(0).info())
          .containsEntry("tcp_port", Integer.toString(sentinels.primary().port()));
      assertThat(diagnostics.servers().get(0).name())
          .isEqualTo("127.0.0.1:" + sentinels.primary().port());
    }
  }
}
