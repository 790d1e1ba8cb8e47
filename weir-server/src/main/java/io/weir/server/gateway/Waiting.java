package io.weir.server.gateway;

import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.server.web.IdleHold;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Admitted requests that are held for their delay: a bounded number, by timers and not by threads.
 *
 * <p>Whoever goes away while waiting gives its place back. Safe for any number of event loops.
 */
final class Waiting {
  private final Vertx vertx;
  private final Limiter limiter;
  private final int most;
  private final AtomicInteger held = new AtomicInteger();

  Waiting(Vertx vertx, Limiter limiter, int most) {
    this.vertx = vertx;
    this.limiter = limiter;
    this.most = most;
  }

  /**
   * Holds a request.
   *
   * @return whether there was room; if not, its place was given back
   */
  boolean hold(Visit visit, Decision decision, Runnable next) {
    if (held.incrementAndGet() > most) {
      held.decrementAndGet();
      giveBack(decision);
      return false;
    }
    Channel channel = ((ConnectionBase) visit.http().connection()).channel();
    IdleHold.hold(channel);
    long timer =
        vertx.setTimer(
            millis(decision.delay()),
            t -> {
              held.decrementAndGet();
              IdleHold.release(channel);
              next.run();
            });
    visit
        .http()
        .response()
        .closeHandler(
            v -> {
              if (vertx.cancelTimer(timer)) {
                held.decrementAndGet();
                IdleHold.release(channel);
                giveBack(decision);
              }
            });
    return true;
  }

  /** A delay as timers want it, never too short. */
  static long millis(Duration delay) {
    return Math.max(1, delay.toMillis() + (delay.toNanosPart() % 1_000_000 > 0 ? 1 : 0));
  }

  int held() {
    return held.get();
  }

  /** Of one that went away before it was decided: the place it would have waited in. */
  void gone(Decision decision) {
    if (decision.allowed() && !decision.delay().isZero()) {
      giveBack(decision);
    }
  }

  private void giveBack(Decision decision) {
    var unused = limiter.refund(decision);
  }
}
