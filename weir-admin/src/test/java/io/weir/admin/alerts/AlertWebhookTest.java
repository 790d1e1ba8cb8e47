package io.weir.admin.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.metrics.NodeHealth;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
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
class AlertWebhookTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final FakeClock clock = new FakeClock();
  private final StubNodeStatus node = new StubNodeStatus();
  private final TestWebhookServer webhook = new TestWebhookServer();
  private final AlertWebhook hook = new AlertWebhook(webhook.url(), "node-1", node, clock);

  @AfterEach
  void close() {
    hook.close();
    webhook.close();
  }

  @Test
  void healthyNode_sendsNothing() {
    advanceSeconds(100);
    assertThat(webhook.accepted()).isEmpty();
  }

  @Test
  void storeFailureAndRecovery_sendOneNotificationEach() {
    node.state = "cannot be reached (\"refused\")";
    advanceSeconds(30);
    node.state = "answers";
    advanceSeconds(30);
    assertThat(webhook.accepted())
        .containsExactly(
            "{\"event\":\"degraded\",\"node\":\"node-1\",\"since\":\"2026-01-01T00:00:01Z\","
                + "\"reason\":\"the store cannot be reached (\\\"refused\\\")\"}",
            "{\"event\":\"recovered\",\"node\":\"node-1\",\"since\":\"2026-01-01T00:00:01Z\","
                + "\"reason\":\"degraded\"}");
  }

  @Test
  void fallbackDecisions_sendDegradedThoughStoreIsAvailable() {
    node.degraded = 7;
    advanceSeconds(1);
    assertThat(webhook.accepted())
        .hasSize(1)
        .first()
        .asString()
        .contains("7 decisions were answered");
  }

  @Test
  void staleRulesAndClockDrift_areSent() {
    node.stale = Duration.ofMillis(29_999);
    node.drift = Duration.ofMillis(20);
    advanceSeconds(1);
    assertThat(webhook.accepted()).isEmpty();
    node.stale = Duration.ofMillis(90_001);
    node.drift = Duration.ofMillis(-21);
    advanceSeconds(1);
    assertThat(webhook.accepted()).hasSize(2);
    assertThat(webhook.accepted().get(0)).contains("stale-rules", "not been in sync for 1m30s\"");
    assertThat(webhook.accepted().get(1)).contains("\"drift\"", "-21 ms ahead");
  }

  @Test
  void flappingCondition_sendsFewNotifications() {
    for (int second = 0; second < 600; second++) {
      node.state = second % 24 < 12 ? "does not answer" : "answers";
      advanceSeconds(1);
    }
    assertThat(webhook.accepted()).hasSizeBetween(8, 20);
  }

  @Test
  void shortGapsInCondition_sendOneNotification() {
    for (int second = 0; second < 300; second++) {
      node.state = second % 5 == 0 ? "does not answer" : "answers";
      advanceSeconds(1);
    }
    assertThat(webhook.accepted()).hasSize(1);
  }

  @Test
  void failedDelivery_isRetriedWithCurrentState() {
    webhook.setRejecting(true);
    node.state = "does not answer";
    advanceSeconds(65);
    assertThat(webhook.rejected()).hasSizeBetween(5, 8);
    webhook.setRejecting(false);
    advanceSeconds(15);
    assertThat(webhook.accepted()).hasSize(1).first().asString().contains("degraded");
  }

  @Test
  void webhookUnreachable_isLoggedOnceWithoutSecret() {
    webhook.close();
    StringBuilder log = new StringBuilder();
    Handler handler = recordingHandler(log);
    Logger logger = Logger.getLogger("io.weir.admin.alerts");
    logger.addHandler(handler);
    try {
      node.state = "does not answer";
      advanceSeconds(65);
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(log.toString().lines()).hasSize(1);
    assertThat(log).contains("127.0.0.1").doesNotContain("s3cret");
  }

  @Test
  void redisKilled_sendsNotification() {
    RuleSet rules = RuleSet.of(Rule.named("api").limit("1000/second").build());
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.at(redis.uri()).open()) {
      NodeHealth vitals = NodeHealth.of(rules, store);
      try (AlertWebhook started = AlertWebhook.start(webhook.url(), "node-2", vitals)) {
        assertThat(started).isNotNull();
        Limiter limiter = Weir.limiter(rules).store(store).build();
        redis.kill();
        Await.until(
            TIMEOUT,
            "a notification arrives",
            () -> {
              limiter.decideNow(Request.of());
              return !webhook.accepted().isEmpty();
            });
        assertThat(webhook.accepted().get(0)).contains("\"degraded\",\"node\":\"node-2\"");
        redis.restart();
        Await.until(
            TIMEOUT,
            "the recovery arrives",
            () -> webhook.accepted().get(webhook.accepted().size() - 1).contains("recovered"));
      }
    }
  }

  private void advanceSeconds(int seconds) {
    for (int i = 0; i < seconds; i++) {
      clock.advance(Duration.ofSeconds(1));
      hook.checkConditions();
    }
  }

  private static Handler recordingHandler(StringBuilder log) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        log.append(record.getMessage()).append(List.of(record.getParameters())).append('\n');
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
