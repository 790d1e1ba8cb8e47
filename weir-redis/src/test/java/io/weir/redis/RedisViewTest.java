package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.redis.RedisView.Server;
import io.weir.redis.RedisView.Shape;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.testkit.redis.RedisCluster;
import io.weir.testkit.redis.RedisProcess;
import io.weir.testkit.redis.RedisSentinels;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RedisViewTest {

  @Test
  void oneServerTellsOfItselfAndNothingIsWritten() {
    try (RedisProcess redis = RedisProcess.start("maxmemory-policy allkeys-lru")) {
      RedisView view = RedisView.of(redis.uri(), Clock.wall());
      assertThat(view.shape()).isEqualTo(Shape.SINGLE);
      Server server = view.servers().get(0);
      assertThat(server.name()).isEqualTo("127.0.0.1:" + redis.port());
      assertThat(server.trouble()).isEmpty();
      assertThat(server.info())
          .containsEntry("maxmemory_policy", "allkeys-lru")
          .containsEntry("role", "master")
          .containsEntry("aof_enabled", "0");
      assertThat(server.settings()).containsEntry("appendfsync", "everysec");
      assertThat(server.ahead().abs()).isLessThan(Duration.ofSeconds(5));
      assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void aClockThatIsWrongShows() {
    try (RedisProcess redis = RedisProcess.start()) {
      Clock late = () -> Clock.wall().micros() - 60_000_000;
      Duration ahead = RedisView.of(redis.uri(), late).servers().get(0).ahead();
      assertThat(ahead).isBetween(Duration.ofSeconds(55), Duration.ofSeconds(65));
    }
  }

  @Test
  void whatTheUserMayNotAskIsEmpty() {
    try (RedisProcess redis =
        RedisProcess.start(
            "user weir on >secret ~weir:* +@read +@write +@scripting +@connection +time -info")) {
      String url = "redis://weir:secret@127.0.0.1:" + redis.port();
      Server server = RedisView.of(url, Clock.wall()).servers().get(0);
      assertThat(server.trouble()).isEmpty();
      assertThat(server.info()).isEmpty();
      assertThat(server.settings()).isEmpty();
      assertThatThrownBy(() -> RedisView.of(url.replace("secret", "other"), Clock.wall()))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("the user or password is wrong")
          .hasMessageNotContaining("other");
    }
  }

  @Test
  void nobodyThereAndNobodyAwake() {
    RedisProcess redis = RedisProcess.start();
    try (redis) {
      redis.freeze();
      assertThatThrownBy(() -> RedisView.of(redis.uri(), Clock.wall()))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("cannot be reached");
      redis.thaw();
    }
    assertThatThrownBy(() -> RedisView.of(redis.uri(), Clock.wall()))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("cannot be reached");
  }

  @Test
  void allNodesOfAClusterAndTheOneThatIsGone() {
    try (RedisCluster cluster = RedisCluster.start()) {
      RedisView view = RedisView.of(cluster.uri(), Clock.wall());
      assertThat(view.shape()).isEqualTo(Shape.CLUSTER);
      assertThat(view.servers()).hasSize(6);
      assertThat(view.servers())
          .allSatisfy(s -> assertThat(s.info()).containsEntry("cluster_state", "ok"))
          .allSatisfy(
              s -> assertThat(s.settings()).containsEntry("cluster-require-full-coverage", "yes"));
      cluster.primaries().get(0).kill();
      assertThat(RedisView.of(cluster.uri(), Clock.wall()).servers())
          .filteredOn(s -> !s.trouble().isEmpty())
          .hasSize(1);
    }
  }

  @Test
  void theMasterOfSentinels() {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      RedisView view = RedisView.of(sentinels.uri(), Clock.wall());
      assertThat(view.shape()).isEqualTo(Shape.SENTINEL);
      assertThat(view.master()).containsEntry("num-slaves", "2").containsEntry("quorum", "2");
      assertThat(view.servers().get(0).info())
          .containsEntry("tcp_port", Integer.toString(sentinels.primary().port()));
      assertThat(view.servers().get(0).name()).isEqualTo("127.0.0.1:" + sentinels.primary().port());
    }
  }
}
