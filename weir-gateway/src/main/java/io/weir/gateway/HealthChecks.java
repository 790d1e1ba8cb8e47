package io.weir.gateway;

import io.vertx.core.Vertx;
import io.weir.gateway.routing.UpstreamHealth;
import io.weir.internal.background.TaskMonitor;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Checks the health of upstreams periodically, on one event loop: a {@code GET} must be answered
 * with a status below 500 within the interval, 2 seconds at most.
 */
final class HealthChecks {
  private static final long MAX_WAIT_MILLIS = 2_000;
  private static final int FIRST_ERROR_STATUS = 500;

  /** A check that throws does not prevent the next one. */
  private static final TaskMonitor MONITOR =
      TaskMonitor.onDemand("gateway-health-checks", Duration.ofSeconds(1), Clock.system()::micros);

  private HealthChecks() {}

  /** Starts to check one upstream, now and at every interval. */
  static void start(
      Vertx vertx,
      UpstreamConnections connections,
      UpstreamHealth health,
      String path,
      Duration interval) {
    long waitMillis = Math.min(MAX_WAIT_MILLIS, interval.toMillis());
    Runnable check = () -> check(connections, health, path, waitMillis);
    check.run();
    vertx.setPeriodic(interval.toMillis(), t -> MONITOR.run(check::run));
  }

  private static void check(
      UpstreamConnections connections, UpstreamHealth health, String path, long waitMillis) {
    var unused =
        connections
            .request("GET", path)
            .compose(
                request ->
                    request
                        .putHeader("User-Agent", "weir-health-check")
                        .send()
                        .timeout(waitMillis, TimeUnit.MILLISECONDS)
                        .onFailure(late -> request.reset()))
            .compose(response -> response.end().map(v -> response.statusCode()))
            .timeout(waitMillis, TimeUnit.MILLISECONDS)
            .onComplete(
                status -> health.recordCheck(status < FIRST_ERROR_STATUS),
                failed -> health.recordCheck(false));
  }
}
