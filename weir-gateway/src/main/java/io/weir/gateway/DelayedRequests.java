package io.weir.gateway;

import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.web.IdleTimeoutSuppressor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Holds admitted requests for their delay, such as those in a leaky bucket's queue. Their number is
 * bounded; they wait on timers, not on threads.
 *
 * <p>If a caller leaves while its request is delayed, the request is refunded. Safe for any number
 * of event loops.
 */
final class DelayedRequests {
  private final Vertx vertx;
  private final Limiter limiter;
  private final int maxDelayed;
  private final AtomicInteger count = new AtomicInteger();

  DelayedRequests(Vertx vertx, Limiter limiter, int maxDelayed) {
    this.vertx = vertx;
    this.limiter = limiter;
    this.maxDelayed = maxDelayed;
  }

  /**
   * Runs {@code next} after the delay of a decision.
   *
   * @return false if too many requests are delayed already; the request has been refunded then
   */
  boolean scheduleAfterDelay(ProxiedRequest proxied, Decision decision, Runnable next) {
    if (count.incrementAndGet() > maxDelayed) {
      count.decrementAndGet();
      refund(decision);
      proxied.recordRefund();
      return false;
    }
    Channel channel = ((ConnectionBase) proxied.http().connection()).channel();
    IdleTimeoutSuppressor.suspend(channel);
    long timer =
        vertx.setTimer(
            toTimerMillis(decision.delay()),
            t -> {
              count.decrementAndGet();
              IdleTimeoutSuppressor.resume(channel);
              next.run();
            });
    proxied.onCallerClosed(
        () -> {
          if (vertx.cancelTimer(timer)) {
            count.decrementAndGet();
            IdleTimeoutSuppressor.resume(channel);
            refund(decision);
            proxied.recordRefund();
          }
        });
    return true;
  }

  /** The delay in whole milliseconds for a timer, rounded up. */
  static long toTimerMillis(Duration delay) {
    return Math.max(1, delay.toMillis() + (delay.toNanosPart() % 1_000_000 > 0 ? 1 : 0));
  }

  int count() {
    return count.get();
  }

  /** Refunds a delayed request whose caller has left before the decision. */
  void refundIfDelayed(Decision decision) {
    if (decision.allowed() && !decision.delay().isZero()) {
      refund(decision);
    }
  }

  private void refund(Decision decision) {
    var unused = limiter.refund(decision);
  }
}
