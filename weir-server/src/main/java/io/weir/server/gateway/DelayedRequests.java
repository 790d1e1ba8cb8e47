package io.weir.server.gateway;

import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.server.web.IdleTimeoutSuppressor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Admitted requests that are held for their delay: a bounded number, by timers and not by threads.
 *
 * <p>Whoever goes away while waiting gives its place back. Safe for any number of event loops.
 */
final class DelayedRequests {
  private final Vertx vertx;
  private final Limiter limiter;
  private final int maxDelayed;
  private final AtomicInteger count = new AtomicInteger();

  DelayedRequests(Vertx vertx, Limiter limiter, int most) {
    this.vertx = vertx;
    this.limiter = limiter;
    this.maxDelayed = most;
  }

  /**
   * Holds a request.
   *
   * @return whether there was room; if not, its place was given back
   */
  boolean scheduleAfterDelay(ProxiedRequest visit, Decision decision, Runnable next) {
    if (count.incrementAndGet() > maxDelayed) {
      count.decrementAndGet();
      refund(decision);
      return false;
    }
    Channel channel = ((ConnectionBase) visit.http().connection()).channel();
    IdleTimeoutSuppressor.suspend(channel);
    long timer =
        vertx.setTimer(
            toTimerMillis(decision.delay()),
            t -> {
              count.decrementAndGet();
              IdleTimeoutSuppressor.resume(channel);
              next.run();
            });
    visit
        .http()
        .response()
        .closeHandler(
            v -> {
              if (vertx.cancelTimer(timer)) {
                count.decrementAndGet();
                IdleTimeoutSuppressor.resume(channel);
                refund(decision);
              }
            });
    return true;
  }

  /** A delay as timers want it, never too short. */
  static long toTimerMillis(Duration delay) {
    return Math.max(1, delay.toMillis() + (delay.toNanosPart() % 1_000_000 > 0 ? 1 : 0));
  }

  int count() {
    return count.get();
  }

  /** Of one that went away before it was decided: the place it would have waited in. */
  void refundIfDelayed(Decision decision) {
    if (decision.allowed() && !decision.delay().isZero()) {
      refund(decision);
    }
  }

  private void refund(Decision decision) {
    var unused = limiter.refund(decision);
  }
}
