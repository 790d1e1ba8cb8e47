package io.weir.server.alerts;

import io.weir.background.BackgroundTask;
import io.weir.metrics.Vitals;
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
public final class AlertHook implements AutoCloseable {
  private static final Logger LOG = System.getLogger(AlertHook.class.getName());
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration FAR = Duration.ofMillis(20);
  private static final Duration STALE = Duration.ofSeconds(30);

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final URI url;
  private final String node;
  private final Vitals vitals;
  private final Clock clock;
  private final List<Alarm> alarms;
  private volatile @Nullable BackgroundTask task;
  private long degraded;
  private boolean unheard;

  /** Does nothing until it is told to {@link #look}. */
  AlertHook(URI url, String node, Vitals vitals, Clock clock) {
    this.url = url;
    this.node = node;
    this.vitals = vitals;
    this.clock = clock;
    degraded = vitals.store().degraded();
    alarms =
        List.of(
            new Alarm("degraded", this::degraded),
            new Alarm("stale-rules", this::stale),
            new Alarm("drift", this::drift));
  }

  /**
   * Looks after a node from now on.
   *
   * @param url of http or https; it may be a secret, and is not logged
   */
  public static AlertHook start(URI url, String node, Vitals vitals) {
    AlertHook hook = new AlertHook(url, node, vitals, Clock.system());
    hook.task =
        BackgroundTask.named("alerts", hook.clock::micros)
            .pause(INTERVAL)
            .expected(INTERVAL.plus(PATIENCE))
            .start(hook::look);
    return hook;
  }

  void look() {
    for (Alarm alarm : alarms) {
      try {
        Notice notice = alarm.look(clock.micros());
        if (notice != null) {
          alarm.told(post(notice), clock.micros());
        }
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "an alarm fails", e);
      }
    }
  }

  private Optional<String> degraded() {
    long before = degraded;
    degraded = vitals.store().degraded();
    if (!vitals.store().available()) {
      return Optional.of("the store " + vitals.store().state());
    }
    return degraded == before
        ? Optional.empty()
        : Optional.of(degraded - before + " decisions were answered by posture");
  }

  private Optional<String> stale() {
    Duration stale = vitals.stale();
    return stale.compareTo(STALE) < 0
        ? Optional.empty()
        : Optional.of(
            "the rules have not been in step for "
                + Durations.format(stale.truncatedTo(ChronoUnit.SECONDS)));
  }

  private Optional<String> drift() {
    Duration drift = vitals.store().drift();
    return drift.abs().compareTo(FAR) <= 0
        ? Optional.empty()
        : Optional.of("the store's clock is " + drift.toMillis() + " ms ahead of this node's");
  }

  /** Whether it was heard. */
  private boolean post(Notice notice) {
    String trouble;
    try {
      HttpRequest request =
          HttpRequest.newBuilder(url)
              .timeout(PATIENCE)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(notice.json(node)))
              .build();
      HttpResponse<Void> reply = client.send(request, BodyHandlers.discarding());
      if (reply.statusCode() / 100 == 2) {
        unheard = false;
        return true;
      }
      trouble = "status " + reply.statusCode();
    } catch (IOException e) {
      trouble = e.getClass().getSimpleName();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      trouble = "interrupted";
    }
    if (!unheard) {
      unheard = true;
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
