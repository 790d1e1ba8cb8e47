package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Four JVMs that share one limit on one Redis, with requests at twice the limit. */
@Tag("slow")
class LeasedAndSyncedAcrossJvmsTest {
  private static final int NODES = 4;
  private static final int RATE = 4000;
  private static final int BURST = RATE / 2;
  private static final int SECONDS = Integer.getInteger("weir.together.seconds", 4);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(30);

  private static final List<RedisTestNodeProcess> nodes = new ArrayList<>();
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    for (int i = 0; i < NODES; i++) {
      nodes.add(RedisTestNodeProcess.start(redis.uri(), DEADLINE, Map.of()));
    }
    nodes.forEach(node -> assertThat(node.readLine()).isEqualTo("ready"));
    nodes.forEach(node -> node.request("pace leased token-bucket 100000/second warm 2000 1"));
  }

  @AfterAll
  static void stop() {
    nodes.forEach(RedisTestNodeProcess::close);
    redis.close();
  }

  /** The permits admitted, the bounds of exact counting, and the number of Redis calls. */
  private record PacedRunResult(
      long admitted, long maxExpected, long minExpected, long redisCalls, long requests) {
    @Override
    public String toString() {
      return String.format(
          "admitted %d, exact admits at most %d and at least %d; %.1f calls per 1000 decisions",
          admitted, maxExpected, minExpected, 1000.0 * redisCalls / requests);
    }
  }

  @Test
  @DisplayName("leased admits as much as exact, never more, with few calls")
  void leasedNodes_admitAtMostTheLimitWithFewCalls() {
    PacedRunResult run = runPaced("leased", "token-bucket", RATE + "/second+" + BURST, 2 * RATE);
    System.out.println("leased: " + run);
    assertThat(run.admitted).as("%s", run).isLessThanOrEqualTo(run.maxExpected);
    assertThat(run.admitted).as("%s", run).isGreaterThan(run.minExpected * 95 / 100);
    assertThat(run.redisCalls).as("%s", run).isLessThan(run.requests / 20);
  }

  @Test
  @DisplayName("no lease outlives its window")
  void leasedNodesOnWindows_admitAtMostTheLimitPerWindow() {
    PacedRunResult run = runPaced("leased", "fixed-window", "1000/2s", 2000);
    System.out.println("leased windows: " + run);
    assertThat(run.admitted).as("%s", run).isLessThanOrEqualTo(1000L * (SECONDS / 2 + 1));
  }

  @Test
  @DisplayName("synced stays within its bound, with few calls")
  void syncedNodes_stayWithinBoundWithFewCalls() {
    PacedRunResult run =
        runPaced("synced:100", "token-bucket", RATE + "/second+" + BURST, 2 * RATE);
    System.out.println("synced: " + run);
    long overshoot = (NODES - 1) * (BURST + RATE / 10);
    assertThat(run.admitted).as("%s", run).isLessThanOrEqualTo(run.maxExpected + overshoot);
    assertThat(run.admitted).as("%s", run).isGreaterThan(run.minExpected * 95 / 100);
    assertThat(run.redisCalls).as("%s", run).isLessThan(run.requests / 20);
  }

  @Test
  @DisplayName("exact batches concurrent requests and admits the limit")
  void exactNodes_admitTheLimit() {
    PacedRunResult run = runPaced("exact", "token-bucket", RATE + "/second+" + BURST, 2 * RATE);
    System.out.println("exact: " + run);
    assertThat(run.admitted).as("%s", run).isBetween(run.minExpected * 95 / 100, run.maxExpected);
  }

  @Test
  void everyNode_knowsNumberOfNodes() {
    for (RedisTestNodeProcess node : nodes) {
      Await.until(
          AWAIT_TIMEOUT, "the number of nodes", () -> node.request("nodes").equals("" + NODES));
    }
  }

  private static PacedRunResult runPaced(
      String consistency, String algorithm, String limit, int perSecond) {
    String key = consistency + algorithm;
    long callsBefore = scriptCalls();
    long startMicros = serverTimeMicros();
    String pace = String.join(" ", "pace", consistency, algorithm, limit, key);
    nodes.forEach(node -> node.send(pace + " " + perSecond / NODES + " " + SECONDS));
    long admitted = 0;
    for (RedisTestNodeProcess node : nodes) {
      String[] words = node.readLine().split(" ", -1);
      admitted += Long.parseLong(words[0]);
      assertThat(words[1]).as("degraded").isEqualTo("0");
    }
    long elapsedMicros = serverTimeMicros() - startMicros;
    long maxExpected = BURST + RATE * elapsedMicros / 1_000_000 + 1;
    long minExpected = (long) RATE * SECONDS;
    return new PacedRunResult(
        admitted,
        maxExpected,
        minExpected,
        scriptCalls() - callsBefore,
        (long) perSecond * SECONDS);
  }

  private static long serverTimeMicros() {
    List<?> time = (List<?>) redis.command("TIME");
    if (time == null) {
      throw new AssertionError("no time");
    }
    return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000
        + Long.parseLong(String.valueOf(time.get(1)));
  }

  /** Returns how often the script was called so far. */
  private static long scriptCalls() {
    Matcher matcher =
        Pattern.compile("cmdstat_fcall:calls=(\\d+)")
            .matcher(String.valueOf(redis.command("INFO", "commandstats")));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
