package io.weir.server.alerts;

import io.weir.background.BackgroundTask;
import io.weir.metrics.NodeHealth;
import io.weir.rule.Durations;
import io.weir.store.Clock;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells a webhook, by POST of {@code {"event","node","since","reason"}}, that decisions are {@code
 * degraded}, that rules are stale ({@code stale-rules}), that clocks {@code drift} apart, and that
 * each is over ({@code recovered}).
 *
 * <p>It looks every second, in a thread of its own that no decision waits for.
 */
public final class AlertWebhook implements AutoCloseable {
  private static final Logger LOG = System.getLogger(AlertWebhook.class.getName());
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MAX_CLOCK_DRIFT = Duration.ofMillis(20);
  private static final Duration MAX_RULES_AGE = Duration.ofSeconds(30);

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(REQUEST_TIMEOUT).build();
  private final URI url;
  private final String node;
  private final NodeHealth vitals;
  private final Clock clock;
  private final List<AlertCondition> conditions;
  private volatile @Nullable BackgroundTask task;
  private long lastDegradedCount;
  private boolean failureLogged;

  /** Does nothing until it is told to {@link #checkConditions}. */
  AlertWebhook(URI url, String node, NodeHealth vitals, Clock clock) {
    this.url = url;
    this.node = node;
    this.vitals = vitals;
    this.clock = clock;
    lastDegradedCount = vitals.storeHealth().degradedDecisions();
    conditions =
        List.of(
            new AlertCondition("degraded", this::degradedReason),
            new AlertCondition("stale-rules", this::staleRulesReason),
            new AlertCondition("drift", this::driftReason));
  }

  /**
   * Looks after a node from now on.
   *
   * @param url of http or https; it may be a secret, and is not logged
   */
  public static AlertWebhook start(URI url, String node, NodeHealth vitals) {
    AlertWebhook hook = new AlertWebhook(url, node, vitals, Clock.system());
    hook.task =
        BackgroundTask.named("alerts", hook.clock::micros)
            .interval(CHECK_INTERVAL)
            .maxInterval(CHECK_INTERVAL.plus(REQUEST_TIMEOUT))
            .start(hook::checkConditions);
    return hook;
  }

  void checkConditions() {
    for (AlertCondition alarm : conditions) {
      try {
        AlertNotification notice = alarm.check(clock.micros());
        if (notice != null) {
          alarm.recordDelivery(post(notice), clock.micros());
        }
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "an alarm fails", e);
      }
    }
  }

  private Optional<String> degradedReason() {
    long before = lastDegradedCount;
    lastDegradedCount = vitals.storeHealth().degradedDecisions();
    if (!vitals.storeHealth().available()) {
      return Optional.of("the store " + vitals.storeHealth().state());
    }
    return lastDegradedCount == before
        ? Optional.empty()
        : Optional.of(lastDegradedCount - before + " decisions were answered by posture");
  }

  private Optional<String> staleRulesReason() {
    Duration stale = vitals.rulesStaleness();
    return stale.compareTo(MAX_RULES_AGE) < 0
        ? Optional.empty()
        : Optional.of(
            "the rules have not been in step for "
                + Durations.format(stale.truncatedTo(ChronoUnit.SECONDS)));
  }

  private Optional<String> driftReason() {
    Duration drift = vitals.storeHealth().clockDrift();
    return drift.abs().compareTo(MAX_CLOCK_DRIFT) <= 0
        ? Optional.empty()
        : Optional.of("the store's clock is " + drift.toMillis() + " ms ahead of this node's");
  }

  /** Whether it was heard. */
  private boolean post(AlertNotification notice) {
    String trouble;
    try {
      HttpRequest request =
          HttpRequest.newBuilder(url)
              .timeout(REQUEST_TIMEOUT)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(notice.toJson(node)))
              .build();
      HttpResponse<Void> reply = client.send(request, BodyHandlers.discarding());
      if (reply.statusCode() / 100 == 2) {
        failureLogged = false;
        return true;
      }
      trouble = "status " + reply.statusCode();
    } catch (IOException e) {
      trouble = e.getClass().getSimpleName();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      trouble = "interrupted";
    }
    if (!failureLogged) {
      failureLogged = true;
      LOG.log(
          Level.WARNING,
          "the alert webhook at {0} does not take ''{1}'' ({2}); trying again",
          url.getHost(),
          notice.event(),
          trouble);
    }
    return false;
  }

  @Override
  public void close() {
    BackgroundTask running = task;
    if (running != null) {
      running.stop(); // not waited for: it may be telling a webhook that is silent
    }
  }
}
