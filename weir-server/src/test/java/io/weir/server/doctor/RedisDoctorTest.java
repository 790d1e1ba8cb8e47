package io.weir.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.doctor.Finding.Grade;
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

/** The doctor at real Redis servers, well and ill. */
@Timeout(180)
@Tag("slow")
class RedisDoctorTest {
  @TempDir Path folder;

  private String rules(String rules) throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [" + rules + "]\n");
    return "file:" + file;
  }

  @Test
  void allIsWell() throws IOException {
    try (RedisProcess redis = RedisProcess.start("appendonly yes", "appendfsync everysec")) {
      Patient patient =
          Patient.with(
              folder,
              "store",
              redis.uri(),
              "rules",
              rules("{id: billing, per: [user], limit: 9/day, durable: true}"));
      assertThat(patient.ills()).isEmpty();
      String name = "127.0.0.1:" + redis.port();
      assertThat(patient.of("store"))
          .singleElement()
          .satisfies(f -> assertThat(f.text()).startsWith(name + " answers, Redis "));
      assertThat(patient.of("eviction"))
          .containsExactly(Finding.ok("eviction", name + " has maxmemory-policy noeviction"));
      assertThat(patient.of("persistence").get(0).text()).endsWith("forgets about a second");
      assertThat(patient.of("replication").get(0).text())
          .isEqualTo(name + " is a primary with 0 replicas");
      assertThat(patient.of("clock")).hasSize(1);
      assertThat(patient.of("latency").get(0).text())
          .matches("a decision takes .* ms, one in a hundred .* ms; the deadline is 10s");
    }
  }

  @Test
  void aServerThatForgets() throws IOException {
    try (RedisProcess redis =
        RedisProcess.start("maxmemory 100mb", "maxmemory-policy volatile-lru", "save 3600 1")) {
      String name = "127.0.0.1:" + redis.port();
      String cli = "run redis-cli -h 127.0.0.1 -p " + redis.port() + " ";
      String rules =
          rules(
              "{id: billing, limit: 9/day, durable: true}, {id: old, limit: 1/s, durable: true, enabled: false}");
      Patient patient = Patient.with(folder, "store", redis.uri(), "rules", rules);
      assertThat(patient.ills())
          .containsExactly(
              Finding.problem(
                  "eviction",
                  name
                      + " has maxmemory-policy volatile-lru: when full it forgets all counters at once",
                  cli + "config set maxmemory-policy noeviction"),
              Finding.problem(
                  "persistence",
                  name
                      + " has appendonly no: a restart forgets what was counted since the last"
                      + " snapshot (3600 1), though durable are billing",
                  cli + "config set appendonly yes"));
      redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
      redis.command("CONFIG", "SET", "appendonly", "yes");
      redis.command("CONFIG", "SET", "appendfsync", "no");
      assertThat(Patient.with(folder, "store", redis.uri(), "rules", rules).ills())
          .singleElement()
          .satisfies(
              f -> {
                assertThat(f.grade()).isEqualTo(Grade.WARNING);
                assertThat(f.text())
                    .contains("appendfsync no: a crash forgets up to half a minute");
                assertThat(f.help()).isEqualTo(cli + "config set appendfsync everysec");
              });
    }
  }

  @Test
  void evictionWithoutABoundIsOnlyAWarning() throws IOException {
    try (RedisProcess redis = RedisProcess.start("maxmemory-policy allkeys-lru")) {
      Patient patient =
          Patient.with(folder, "store", redis.uri(), "rules", rules("{id: a, limit: 1/s}"));
      assertThat(patient.ills())
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.WARNING))
          .satisfies(f -> assertThat(f.text()).contains("without maxmemory nothing is evicted"));
      assertThat(patient.of("persistence").get(0).text())
          .endsWith("a restart forgets all counters, and no rule is durable");
    }
  }

  @Test
  void aFullServer() throws IOException {
    try (RedisProcess redis = RedisProcess.start()) {
      String[] flags = {"store", redis.uri(), "rules", rules("{id: a, limit: 1/s}")};
      Patient.with(folder, flags);
      redis.command("CONFIG", "SET", "maxmemory", "500000");
      Patient patient = Patient.with(folder, flags);
      assertThat(patient.of("memory").get(0).grade()).isEqualTo(Grade.PROBLEM);
      assertThat(patient.of("memory").get(0).text()).endsWith("full, it refuses to count");
      assertThat(patient.of("decisions"))
          .singleElement()
          .satisfies(f -> assertThat(f.text()).contains("OOM"));
    }
  }

  @Test
  void aUserWhoMayNotRunScripts() throws IOException {
    try (RedisProcess redis =
        RedisProcess.start(
            "user few on >secret ~weir:* +@read +@write +@connection +time -@scripting",
            "user some on >secret ~weir:* +@read +@write +@connection +time +@scripting")) {
      String rules = rules("{id: a, limit: 1/s}");
      String at = "@127.0.0.1:" + redis.port();
      Patient few = Patient.with(folder, "store", "redis://few:secret" + at, "rules", rules);
      assertThat(few.of("decisions"))
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
          .satisfies(f -> assertThat(f.text()).contains("may not run scripts (NOPERM"))
          .satisfies(f -> assertThat(f.help()).contains("+@scripting"));
      Patient some = Patient.with(folder, "store", "redis://some:secret" + at, "rules", rules);
      assertThat(some.ills())
          .singleElement()
          .satisfies(f -> assertThat(f.text()).startsWith("this user may not ask INFO"));
      assertThat(some.of("latency")).hasSize(1);
      assertThat(few.findings().toString() + some.findings()).doesNotContain("secret");
    }
  }

  @Test
  void aServerThatIsGoneFrozenOrNotReadable() throws IOException {
    String rules = rules("{id: a, limit: 1/s}");
    RedisProcess redis = RedisProcess.start("requirepass secret");
    try (redis) {
      Patient locked = Patient.with(folder, "store", redis.uri(), "rules", rules);
      assertThat(locked.ills())
          .singleElement()
          .satisfies(f -> assertThat(f.text()).contains("it wants a password; write"));
      redis.freeze();
      Patient frozen = Patient.with(folder, "store", redis.uri(), "rules", rules);
      redis.thaw();
      assertThat(frozen.ills())
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
          .satisfies(f -> assertThat(f.text()).contains("cannot be reached"));
    }
    Patient gone = Patient.with(folder, "store", redis.uri(), "rules", rules);
    assertThat(gone.ills())
        .singleElement()
        .satisfies(f -> assertThat(f.text()).startsWith(redis.uri() + " cannot be reached"));
  }

  @Test
  void aStoreThatIsFarAndAClockThatIsWrong() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      proxy.delay(Duration.ofMillis(20));
      Clock late = () -> Clock.wall().micros() - 90_000_000;
      Patient patient =
          Patient.with(
              late,
              folder,
              "store",
              "redis://127.0.0.1:" + proxy.port(),
              "rules",
              rules("{id: a, limit: 1/s}"),
              "store-deadline",
              "5ms");
      assertThat(patient.of("latency").get(0).grade()).isEqualTo(Grade.PROBLEM);
      assertThat(patient.of("latency").get(0).text())
          .endsWith("the deadline is 5ms: postures answer instead");
      assertThat(patient.of("clock").get(0).grade()).isEqualTo(Grade.WARNING);
      assertThat(patient.of("clock").get(0).text()).contains(" ms ahead of this machine");
    }
  }

  @Test
  void aReplicaAndANodeOfACluster() throws IOException {
    String rules = rules("{id: a, limit: 1/s}");
    try (RedisProcess primary = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + primary.port())) {
      assertThat(Patient.with(folder, "store", replica.uri(), "rules", rules).of("replication"))
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
          .satisfies(
              f -> assertThat(f.help()).contains("redis://127.0.0.1:" + primary.port() + ","));
    }
    try (RedisProcess node = RedisProcess.start("cluster-enabled yes")) {
      assertThat(Patient.with(folder, "store", node.uri(), "rules", rules).of("replication"))
          .singleElement()
          .satisfies(f -> assertThat(f.help()).contains("redis-cluster://127.0.0.1:"));
    }
  }

  @Test
  void aCluster() throws IOException {
    try (RedisCluster cluster = RedisCluster.start()) {
      String[] flags = {"store", cluster.uri(), "rules", rules("{id: a, limit: 1/s}")};
      Patient whole = Patient.with(folder, flags);
      assertThat(whole.of("eviction").get(0).text()).endsWith("noeviction, likewise 5 more");
      assertThat(whole.ills())
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.WARNING))
          .satisfies(f -> assertThat(f.text()).contains("cluster-require-full-coverage yes"));
      cluster.primaries().get(0).kill();
      Patient broken = Patient.with(folder, flags);
      assertThat(broken.of("store"))
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
          .satisfies(f -> assertThat(f.text()).contains("cannot be reached"));
    }
  }

  @Test
  void sentinels() throws IOException {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      Patient patient =
          Patient.with(folder, "store", sentinels.uri(), "rules", rules("{id: a, limit: 1/s}"));
      assertThat(patient.ills()).isEmpty();
      assertThat(patient.of("replication"))
          .containsExactly(
              Finding.ok("replication", "3 sentinels, of which 2 must agree, and 2 replicas"));
    }
  }
}
