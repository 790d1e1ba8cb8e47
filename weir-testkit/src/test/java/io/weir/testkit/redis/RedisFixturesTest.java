package io.weir.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The fixtures behave as documented. */
@Tag("slow")
class RedisFixturesTest {
  private static final Duration FAILOVER = Duration.ofSeconds(10);

  @Test
  void serverWithSettings_startsAndAnswers() {
    try (RedisProcess redis = RedisProcess.start("maxmemory 2mb", "databases 3")) {
      assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
      assertThat(redis.command("CONFIG", "GET", "maxmemory"))
          .isEqualTo(List.of("maxmemory", "2097152"));
      assertThat(redis.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
      assertThat(redis.command("SET", "a", "ä\r\nb")).isEqualTo("OK");
      assertThat(redis.command("GET", "a")).isEqualTo("ä\r\nb");
      assertThat(redis.command("INCR", "n")).isEqualTo(1L);
      assertThat(redis.command("MGET", "n", "none")).isEqualTo(Arrays.asList("1", null));
      assertThat(redis.command("GET", "none")).isNull();
      assertThatThrownBy(() -> redis.command("INCR", "a"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("not an integer");
    }
  }

  @Test
  void invalidSetting_failsWithServerOutput() {
    assertThatThrownBy(() -> RedisProcess.start("nonsense 1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Bad directive");
  }

  @Test
  void requiredPassword_isUsedForOwnCommands() throws IOException {
    try (RedisProcess redis = RedisProcess.start("requirepass secret");
        RawTestSocket clientWithoutPassword = new RawTestSocket(redis.port())) {
      assertThat(redis.command("PING")).isEqualTo("PONG");
      assertThat(clientWithoutPassword.request("PING")).startsWith("-NOAUTH");
    }
  }

  @Test
  void closedConnection_isReopened() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no");
      assertThat(redis.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void frozenServer_isSilentUntilThawed() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        RawTestSocket client = new RawTestSocket(redis.port())) {
      assertThat(client.request("PING")).isEqualTo("+PONG\r\n");
      redis.freeze();
      assertThat(client.isSilent("PING")).isTrue();
      assertThatThrownBy(() -> redis.command(Duration.ofMillis(100), "PING"))
          .isInstanceOf(UncheckedIOException.class);
      redis.thaw();
      assertThat(client.read()).isEqualTo("+PONG\r\n");
      assertThat(redis.command("ECHO", "again")).isEqualTo("again");
    }
  }

  @Test
  void killedServer_isGoneAndRestartsEmpty() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        RawTestSocket client = new RawTestSocket(redis.port())) {
      int port = redis.port();
      long pid = redis.pid();
      redis.command("SET", "a", "1");
      redis.kill();
      assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
      assertThat(client.read()).isEqualTo(RawTestSocket.END);
      assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(UncheckedIOException.class);
      redis.restart();
      assertThat(redis.port()).isEqualTo(port);
      assertThat(redis.pid()).isNotEqualTo(pid);
      assertThat(redis.command("GET", "a")).isNull();
    }
  }

  @Test
  void persistentServer_keepsDataOverRestart() {
    try (RedisProcess redis = RedisProcess.start("appendonly yes", "appendfsync always")) {
      redis.command("SET", "a", "1");
      redis.restart();
      assertThat(redis.command("GET", "a")).isEqualTo("1");
    }
  }

  @Test
  void busyServer_reportsCpuTime() {
    try (RedisProcess redis = RedisProcess.start()) {
      Duration before = redis.cpuTime();
      redis.command("EVAL", "for i = 1, 5000000 do math.sqrt(i) end", "0");
      assertThat(redis.cpuTime()).isGreaterThan(before.plusMillis(20));
    }
  }

  @Test
  void closedServer_leavesNoProcessOrFiles() {
    RedisProcess redis = RedisProcess.start();
    long pid = redis.pid();
    Path folder = Path.of(replyWord(redis.command("CONFIG", "GET", "dir"), 1));
    assertThat(folder).exists();
    redis.freeze();
    redis.close();
    redis.close();
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(folder).doesNotExist();
  }

  @Test
  void killedPrimary_isReplacedBySentinels() {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      assertThat(sentinels.uri()).matches("redis-sentinel://(127\\.0\\.0\\.1:\\d+,?){3}/weir");
      assertThat(sentinels.servers()).hasSize(3);
      RedisProcess first = sentinels.primary();
      first.command("SET", "a", "1");
      assertThat(first.command("WAIT", "2", "5000")).isEqualTo(2L);
      first.kill();
      assertThat(Await.isTrueWithin(FAILOVER, () -> sentinels.primary() != first)).isTrue();
      assertThat(sentinels.primary().command("GET", "a")).isEqualTo("1");
      first.restart();
      assertThat(
              Await.isTrueWithin(
                  FAILOVER, () -> replyWord(first.command("ROLE"), 0).equals("slave")))
          .isTrue();
    }
  }

  @Test
  void killedClusterPrimary_isReplacedByReplica() {
    try (RedisCluster cluster = RedisCluster.start()) {
      assertThat(cluster.uri()).matches("redis-cluster://(127\\.0\\.0\\.1:\\d+,?){3}");
      assertThat(cluster.primaries()).hasSize(3);
      assertThat(cluster.primaries().get(0)).isSameAs(cluster.primaryOf(0));
      assertThat(cluster.primaries().get(2)).isSameAs(cluster.primaryOf(16_383));
      int slot = 15_495;
      assertThat(cluster.primaryOf(0).command("CLUSTER", "KEYSLOT", "a")).isEqualTo((long) slot);
      RedisProcess first = cluster.primaryOf(slot);
      first.command("SET", "a", "1");
      assertThat(first.command("WAIT", "1", "5000")).isEqualTo(1L);
      first.kill();
      assertThat(Await.isTrueWithin(FAILOVER, () -> cluster.primaryOf(slot) != first)).isTrue();
      assertThat(cluster.primaryOf(slot).command("GET", "a")).isEqualTo("1");
      assertThat(cluster.primaries()).hasSize(3).doesNotContain(first);
    }
  }

  private static String replyWord(@Nullable Object reply, int index) {
    return reply instanceof List<?> list ? String.valueOf(list.get(index)) : "";
  }
}
