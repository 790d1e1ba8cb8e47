package io.weir.admin.alerts;

import io.weir.internal.Durations;
import io.weir.internal.background.BackgroundTask;
import io.weir.metrics.NodeHealth;
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
 * Sends alerts to a webhook, by POST of {@code {"event","node","since","reason"}}: decisions are
 * {@code degraded}, rules are stale ({@code stale-rules}), clocks {@code drift} apart, and each of
 * them is over ({@code recovered}).
 *
 * <p>It checks every second in a background thread, on which no decision waits.
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

  /** Creates a webhook that is idle until {@link #checkConditions} is called. */
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
   * Starts to monitor a node.
   *
   * @param url an http or https URL; it may contain a secret, and is not logged
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
        LOG.log(Level.WARNING, "an alert check failed", e);
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
        : Optional.of(lastDegradedCount - before + " decisions were answered by a fallback");
  }

  private Optional<String> staleRulesReason() {
    Duration stale = vitals.rulesStaleness();
    return stale.compareTo(MAX_RULES_AGE) < 0
        ? Optional.empty()
        : Optional.of(
            "the rules have not been in sync for "
                + Durations.format(stale.truncatedTo(ChronoUnit.SECONDS)));
  }

  private Optional<String> driftReason() {
    Duration drift = vitals.storeHealth().clockDrift();
    return drift.abs().compareTo(MAX_CLOCK_DRIFT) <= 0
        ? Optional.empty()
        : Optional.of("the store's clock is " + drift.toMillis() + " ms ahead of this node's");
  }

  /** Sends a notification; returns whether it was delivered. */
  private boolean post(AlertNotification notice) {
    String failure;
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
      failure = "status " + reply.statusCode();
    } catch (IOException e) {
      failure = e.getClass().getSimpleName();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = "interrupted";
    }
    if (!failureLogged) {
      failureLogged = true;
      LOG.log(
          Level.WARNING,
          "the alert webhook at {0} did not accept ''{1}'' ({2}); retrying",
          url.getHost(),
          notice.event(),
          failure);
    }
    return false;
  }

  @Override
  public void close() {
    BackgroundTask running = task;
    if (running != null) {
      running.stop(); // without waiting: it may be calling a webhook that does not respond
    }
  }
}
