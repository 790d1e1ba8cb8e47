package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Soon;
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

/** Four JVMs that count together on one Redis, offered twice what the limit allows. */
@Tag("slow")
class TogetherAcrossJvmsTest {
  private static final int NODES = 4;
  private static final int RATE = 4000;
  private static final int BURST = RATE / 2;
  private static final int SECONDS = Integer.getInteger("weir.together.seconds", 4);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofSeconds(30);

  private static final List<NodeProcess> nodes = new ArrayList<>();
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    for (int i = 0; i < NODES; i++) {
      nodes.add(NodeProcess.start(redis.uri(), DEADLINE, Map.of()));
    }
    nodes.forEach(node -> assertThat(node.hear()).isEqualTo("ready"));
    nodes.forEach(node -> node.ask("pace leased token-bucket 100000/second warm 2000 1"));
  }

  @AfterAll
  static void stop() {
    nodes.forEach(NodeProcess::close);
    redis.close();
  }

  /** What was admitted, what exact could have given by then, and how often Redis was called. */
  private record Run(long admitted, long most, long least, long calls, long asked) {
    @Override
    public String toString() {
      return String.format(
          "admitted %d of %d that exact gives at most, %d at least; %.1f calls per 1000 decisions",
          admitted, most, least, 1000.0 * calls / asked);
    }
  }

  @Test
  @DisplayName("C2: leased admits what exact would, never more, and hardly asks")
  void leased() {
    Run run = run("leased", "token-bucket", RATE + "/second+" + BURST, 2 * RATE);
    System.out.println("leased: " + run);
    assertThat(run.admitted).as("%s", run).isLessThanOrEqualTo(run.most);
    assertThat(run.admitted).as("%s", run).isGreaterThan(run.least * 95 / 100);
    assertThat(run.calls).as("%s", run).isLessThan(run.asked / 20);
  }

  @Test
  @DisplayName("C2: no lease outlives its window")
  void leasedInWindows() {
    Run run = run("leased", "fixed-window", "1000/2s", 2000);
    System.out.println("leased windows: " + run);
    assertThat(run.admitted).as("%s", run).isLessThanOrEqualTo(1000L * (SECONDS / 2 + 1));
  }

  @Test
  @DisplayName("C3: synced stays within its bound, and hardly asks")
  void synced() {
    Run run = run("synced:100", "token-bucket", RATE + "/second+" + BURST, 2 * RATE);
    System.out.println("synced: " + run);
    long overshoot = (NODES - 1) * (BURST + RATE / 10);
    assertThat(run.admitted).as("%s", run).isLessThanOrEqualTo(run.most + overshoot);
    assertThat(run.admitted).as("%s", run).isGreaterThan(run.least * 95 / 100);
    assertThat(run.calls).as("%s", run).isLessThan(run.asked / 20);
  }

  @Test
  @DisplayName("C1: exact merges what is asked at once")
  void exact() {
    Run run = run("exact", "token-bucket", RATE + "/second+" + BURST, 2 * RATE);
    System.out.println("exact: " + run);
    assertThat(run.admitted).as("%s", run).isBetween(run.least * 95 / 100, run.most);
  }

  @Test
  void everyNodeKnowsHowManyThereAre() {
    for (NodeProcess node : nodes) {
      Soon.until(LONG, "the number of nodes", () -> node.ask("nodes").equals("" + NODES));
    }
  }

  private static Run run(String how, String algorithm, String limit, int perSecond) {
    String key = how + algorithm;
    long calls = calls();
    long began = time();
    String pace = String.join(" ", "pace", how, algorithm, limit, key);
    nodes.forEach(node -> node.say(pace + " " + perSecond / NODES + " " + SECONDS));
    long admitted = 0;
    for (NodeProcess node : nodes) {
      String[] said = node.hear().split(" ", -1);
      admitted += Long.parseLong(said[0]);
      assertThat(said[1]).as("degraded").isEqualTo("0");
    }
    long took = time() - began;
    long most = BURST + RATE * took / 1_000_000 + 1;
    long least = (long) RATE * SECONDS;
    return new Run(admitted, most, least, calls() - calls, (long) perSecond * SECONDS);
  }

  private static long time() {
    List<?> time = (List<?>) redis.command("TIME");
    if (time == null) {
      throw new AssertionError("no time");
    }
    return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000
        + Long.parseLong(String.valueOf(time.get(1)));
  }

  /** How often the script was run so far. */
  private static long calls() {
    Matcher m =
        Pattern.compile("cmdstat_fcall:calls=(\\d+)")
            .matcher(String.valueOf(redis.command("INFO", "commandstats")));
    return m.find() ? Long.parseLong(m.group(1)) : 0;
  }
}
