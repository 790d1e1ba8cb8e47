package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
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
  boolean hold(Visit visit, Duration delay, Runnable next) {
    Request request = visit.call().request();
    if (held.incrementAndGet() > most) {
      held.decrementAndGet();
      giveBack(request);
      return false;
    }
    long timer =
        vertx.setTimer(
            millis(delay),
            t -> {
              held.decrementAndGet();
              next.run();
            });
    visit
        .http()
        .response()
        .closeHandler(
            v -> {
              if (vertx.cancelTimer(timer)) {
                held.decrementAndGet();
                giveBack(request);
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
  void gone(Visit visit, Decision decision) {
    if (decision.allowed() && !decision.delay().isZero()) {
      giveBack(visit.call().request());
    }
  }

  private void giveBack(Request request) {
    var unused = limiter.refund(request);
  }
}
