package io.weir.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.doctor.DoctorFinding.FindingSeverity;
import io.weir.store.Clock;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisCluster;
import io.weir.testkit.redis.RedisProcess;
import io.weir.testkit.redis.RedisSentinels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The checks of real Redis servers, healthy and not. */
@Timeout(180)
@Tag("slow")
class RedisDoctorTest {
  @TempDir Path folder;

  private String rules(String rules) throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [" + rules + "]\n");
    return "file:" + file;
  }

  @Test
  void healthyRedis_hasNoWarnings() throws IOException {
    try (RedisProcess redis = RedisProcess.start("appendonly yes", "appendfsync everysec")) {
      DoctorResult result =
          DoctorResult.run(
              folder,
              "store",
              redis.uri(),
              "rules",
              rules("{id: billing, per: [user], limit: 9/day, durable: true}"));
      assertThat(result.warningsAndProblems()).isEmpty();
      String name = "127.0.0.1:" + redis.port();
      assertThat(result.findingsOf("store"))
          .singleElement()
          .satisfies(f -> assertThat(f.text()).startsWith(name + " is reachable, Redis "));
      assertThat(result.findingsOf("eviction"))
          .containsExactly(DoctorFinding.ok("eviction", name + " has maxmemory-policy noeviction"));
      assertThat(result.findingsOf("persistence").get(0).text())
          .endsWith("a crash loses about a second");
      assertThat(result.findingsOf("replication").get(0).text())
          .isEqualTo(name + " is a primary with 0 replicas");
      assertThat(result.findingsOf("clock")).hasSize(1);
      assertThat(result.findingsOf("latency").get(0).text())
          .matches("a decision takes .* ms \\(median\\), .* ms \\(p99\\); the deadline is 10s");
    }
  }

  @Test
  void evictionOrNoPersistence_isProblem() throws IOException {
    try (RedisProcess redis =
        RedisProcess.start("maxmemory 100mb", "maxmemory-policy volatile-lru", "save 3600 1")) {
      String name = "127.0.0.1:" + redis.port();
      String cli = "run redis-cli -h 127.0.0.1 -p " + redis.port() + " ";
      String rules =
          rules(
              "{id: billing, limit: 9/day, durable: true}, {id: old, limit: 1/s, durable: true, enabled: false}");
      DoctorResult result = DoctorResult.run(folder, "store", redis.uri(), "rules", rules);
      assertThat(result.warningsAndProblems())
          .containsExactly(
              DoctorFinding.problem(
                  "eviction",
                  name
                      + " has maxmemory-policy volatile-lru: when full, it evicts whole shards of counters",
                  cli + "config set maxmemory-policy noeviction"),
              DoctorFinding.problem(
                  "persistence",
                  name
                      + " has appendonly no: a restart loses all changes since the last"
                      + " snapshot (3600 1), but these rules are durable: billing",
                  cli + "config set appendonly yes"));
      redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
      redis.command("CONFIG", "SET", "appendonly", "yes");
      redis.command("CONFIG", "SET", "appendfsync", "no");
      assertThat(
              DoctorResult.run(folder, "store", redis.uri(), "rules", rules).warningsAndProblems())
          .singleElement()
          .satisfies(
              f -> {
                assertThat(f.severity()).isEqualTo(FindingSeverity.WARNING);
                assertThat(f.text()).contains("appendfsync no: a crash loses up to 30 s");
                assertThat(f.help()).isEqualTo(cli + "config set appendfsync everysec");
              });
    }
  }

  @Test
  void evictionPolicyWithoutMaxmemory_isWarning() throws IOException {
    try (RedisProcess redis = RedisProcess.start("maxmemory-policy allkeys-lru")) {
      DoctorResult result =
          DoctorResult.run(folder, "store", redis.uri(), "rules", rules("{id: a, limit: 1/s}"));
      assertThat(result.warningsAndProblems())
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.WARNING))
          .satisfies(f -> assertThat(f.text()).contains("without maxmemory nothing is evicted"));
      assertThat(result.findingsOf("persistence").get(0).text())
          .endsWith("a restart loses all counters, and no rule is durable");
    }
  }

  @Test
  void memoryFull_isProblem() throws IOException {
    try (RedisProcess redis = RedisProcess.start()) {
      String[] flags = {"store", redis.uri(), "rules", rules("{id: a, limit: 1/s}")};
      DoctorResult.run(folder, flags);
      redis.command("CONFIG", "SET", "maxmemory", "500000");
      DoctorResult result = DoctorResult.run(folder, flags);
      assertThat(result.findingsOf("memory").get(0).severity()).isEqualTo(FindingSeverity.PROBLEM);
      assertThat(result.findingsOf("memory").get(0).text()).endsWith("full, it rejects writes");
      assertThat(result.findingsOf("decisions"))
          .singleElement()
          .satisfies(f -> assertThat(f.text()).contains("OOM"));
    }
  }

  @Test
  void missingAclPermission_isReported() throws IOException {
    try (RedisProcess redis =
        RedisProcess.start(
            "user few on >secret ~weir:* +@read +@write +@connection +time -@scripting",
            "user some on >secret ~weir:* +@read +@write +@connection +time +@scripting")) {
      String rules = rules("{id: a, limit: 1/s}");
      String at = "@127.0.0.1:" + redis.port();
      DoctorResult few =
          DoctorResult.run(folder, "store", "redis://few:secret" + at, "rules", rules);
      assertThat(few.findingsOf("decisions"))
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
          .satisfies(
              f -> assertThat(f.text()).contains("does not permit the user to run scripts (NOPERM"))
          .satisfies(f -> assertThat(f.help()).contains("+@scripting"));
      DoctorResult some =
          DoctorResult.run(folder, "store", "redis://some:secret" + at, "rules", rules);
      assertThat(some.warningsAndProblems())
          .singleElement()
          .satisfies(f -> assertThat(f.text()).startsWith("this user may not run INFO"));
      assertThat(some.findingsOf("latency")).hasSize(1);
      assertThat(few.findings().toString() + some.findings()).doesNotContain("secret");
    }
  }

  @Test
  void redisUnreachableOrLocked_isProblem() throws IOException {
    String rules = rules("{id: a, limit: 1/s}");
    RedisProcess redis = RedisProcess.start("requirepass secret");
    try (redis) {
      DoctorResult locked = DoctorResult.run(folder, "store", redis.uri(), "rules", rules);
      assertThat(locked.warningsAndProblems())
          .singleElement()
          .satisfies(f -> assertThat(f.text()).contains("requires a password, for example"));
      redis.freeze();
      DoctorResult frozen = DoctorResult.run(folder, "store", redis.uri(), "rules", rules);
      redis.thaw();
      assertThat(frozen.warningsAndProblems())
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
          .satisfies(f -> assertThat(f.text()).contains("cannot be reached"));
    }
    DoctorResult gone = DoctorResult.run(folder, "store", redis.uri(), "rules", rules);
    assertThat(gone.warningsAndProblems())
        .singleElement()
        .satisfies(f -> assertThat(f.text()).startsWith(redis.uri() + " cannot be reached"));
  }

  @Test
  void slowStoreAndWrongClock_areReported() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      proxy.delayReplies(Duration.ofMillis(20));
      Clock late = () -> Clock.wall().micros() - 90_000_000;
      DoctorResult result =
          DoctorResult.run(
              late,
              folder,
              "store",
              "redis://127.0.0.1:" + proxy.port(),
              "rules",
              rules("{id: a, limit: 1/s}"),
              "store-deadline",
              "5ms");
      assertThat(result.findingsOf("latency").get(0).severity()).isEqualTo(FindingSeverity.PROBLEM);
      assertThat(result.findingsOf("latency").get(0).text())
          .endsWith("the deadline is 5ms: rules use their fallback");
      assertThat(result.findingsOf("clock").get(0).severity()).isEqualTo(FindingSeverity.WARNING);
      assertThat(result.findingsOf("clock").get(0).text()).contains(" ms ahead of this machine");
    }
  }

  @Test
  void replicaOrClusterNode_isProblem() throws IOException {
    String rules = rules("{id: a, limit: 1/s}");
    try (RedisProcess primary = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + primary.port())) {
      assertThat(
              DoctorResult.run(folder, "store", replica.uri(), "rules", rules)
                  .findingsOf("replication"))
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
          .satisfies(
              f -> assertThat(f.help()).contains("redis://127.0.0.1:" + primary.port() + ","));
    }
    try (RedisProcess node = RedisProcess.start("cluster-enabled yes")) {
      assertThat(
              DoctorResult.run(folder, "store", node.uri(), "rules", rules)
                  .findingsOf("replication"))
          .singleElement()
          .satisfies(f -> assertThat(f.help()).contains("redis-cluster://127.0.0.1:"));
    }
  }

  @Test
  void clusterWithoutFullCoverage_isReported() throws IOException {
    try (RedisCluster cluster = RedisCluster.start()) {
      String[] flags = {"store", cluster.uri(), "rules", rules("{id: a, limit: 1/s}")};
      DoctorResult whole = DoctorResult.run(folder, flags);
      assertThat(whole.findingsOf("eviction").get(0).text())
          .endsWith("noeviction, and 5 more servers");
      assertThat(whole.warningsAndProblems())
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.WARNING))
          .satisfies(f -> assertThat(f.text()).contains("cluster-require-full-coverage yes"));
      cluster.primaries().get(0).kill();
      DoctorResult broken = DoctorResult.run(folder, flags);
      assertThat(broken.findingsOf("store"))
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
          .satisfies(f -> assertThat(f.text()).contains("cannot be reached"));
    }
  }

  @Test
  void healthySentinels_areOk() throws IOException {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      DoctorResult result =
          DoctorResult.run(folder, "store", sentinels.uri(), "rules", rules("{id: a, limit: 1/s}"));
      assertThat(result.warningsAndProblems()).isEmpty();
      assertThat(result.findingsOf("replication"))
          .containsExactly(
              DoctorFinding.ok("replication", "3 sentinels with a quorum of 2, and 2 replicas"));
    }
  }
}
