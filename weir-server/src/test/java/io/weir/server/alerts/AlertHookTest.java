package io.weir.server.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.metrics.Vitals;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class AlertHookTest {
  private static final Duration PATIENT = Duration.ofSeconds(60);

  private final FakeClock clock = new FakeClock();
  private final StatedNode node = new StatedNode();
  private final Webhook webhook = new Webhook();
  private final AlertHook hook = new AlertHook(webhook.url(), "node-1", node, clock);

  @AfterEach
  void close() {
    hook.close();
    webhook.close();
  }

  @Test
  void saysNothingWhileAllIsWell() {
    pass(100);
    assertThat(webhook.heard()).isEmpty();
  }

  @Test
  void tellsOnceThatTheStoreIsAwayAndOnceThatItIsBack() {
    node.state = "cannot be reached (\"refused\")";
    pass(30);
    node.state = "answers";
    pass(30);
    assertThat(webhook.heard())
        .containsExactly(
            "{\"event\":\"degraded\",\"node\":\"node-1\",\"since\":\"2026-01-01T00:00:01Z\","
                + "\"reason\":\"the store cannot be reached (\\\"refused\\\")\"}",
            "{\"event\":\"recovered\",\"node\":\"node-1\",\"since\":\"2026-01-01T00:00:01Z\","
                + "\"reason\":\"degraded\"}");
  }

  @Test
  void decisionsByPostureAreTroubleThoughTheStoreAnswers() {
    node.degraded = 7;
    pass(1);
    assertThat(webhook.heard()).hasSize(1).first().asString().contains("7 decisions were answered");
  }

  @Test
  void tellsOfStaleRulesAndOfDrift() {
    node.stale = Duration.ofMillis(29_999);
    node.drift = Duration.ofMillis(20);
    pass(1);
    assertThat(webhook.heard()).isEmpty();
    node.stale = Duration.ofMillis(90_001);
    node.drift = Duration.ofMillis(-21);
    pass(1);
    assertThat(webhook.heard()).hasSize(2);
    assertThat(webhook.heard().get(0)).contains("stale-rules", "not been in step for 1m30s\"");
    assertThat(webhook.heard().get(1)).contains("\"drift\"", "-21 ms ahead");
  }

  @Test
  void troubleThatComesAndGoesMakesFewNotices() {
    for (int second = 0; second < 600; second++) {
      node.state = second % 24 < 12 ? "does not answer" : "answers";
      pass(1);
    }
    assertThat(webhook.heard()).hasSizeBetween(8, 20);
  }

  @Test
  void troubleOfAMomentAfterAnotherIsTheSame() {
    for (int second = 0; second < 300; second++) {
      node.state = second % 5 == 0 ? "does not answer" : "answers";
      pass(1);
    }
    assertThat(webhook.heard()).hasSize(1);
  }

  @Test
  void whatWasNotHeardIsToldAgainAsItIsByThen() {
    webhook.refuses(true);
    node.state = "does not answer";
    pass(65);
    assertThat(webhook.refused()).hasSizeBetween(5, 8);
    webhook.refuses(false);
    pass(15);
    assertThat(webhook.heard()).hasSize(1).first().asString().contains("degraded");
  }

  @Test
  void aWebhookThatIsAwayIsLoggedOnceAndWithoutItsSecret() {
    webhook.close();
    StringBuilder log = new StringBuilder();
    Handler ears = ears(log);
    Logger logger = Logger.getLogger("io.weir.server.alerts");
    logger.addHandler(ears);
    try {
      node.state = "does not answer";
      pass(65);
    } finally {
      logger.removeHandler(ears);
    }
    assertThat(log.toString().lines()).hasSize(1);
    assertThat(log).contains("127.0.0.1").doesNotContain("s3cret");
  }

  @Test
  void aRedisThatIsKilledIsToldOf() {
    RuleSet rules = RuleSet.of(Rule.named("api").limit("1000/second").build());
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.at(redis.uri()).open()) {
      Vitals vitals = Vitals.of(rules, store);
      try (AlertHook started = AlertHook.start(webhook.url(), "node-2", vitals)) {
        assertThat(started).isNotNull();
        Limiter limiter = Weir.limiter(rules).store(store).build();
        redis.kill();
        Soon.until(
            PATIENT,
            "a notice",
            () -> {
              limiter.decideNow(Request.of());
              return !webhook.heard().isEmpty();
            });
        assertThat(webhook.heard().get(0)).contains("\"degraded\",\"node\":\"node-2\"");
        redis.restart();
        Soon.until(
            PATIENT,
            "the end",
            () -> webhook.heard().get(webhook.heard().size() - 1).contains("recovered"));
      }
    }
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      clock.advance(Duration.ofSeconds(1));
      hook.look();
    }
  }

  private static Handler ears(StringBuilder log) {
    return new Handler() {
      @Override
      public void publish(LogRecord line) {
        log.append(line.getMessage()).append(List.of(line.getParameters())).append('\n');
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
