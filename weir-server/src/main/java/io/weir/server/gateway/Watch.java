package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.util.function.BooleanSupplier;

/** A timer of the event loop that begins anew as long as all is well. */
final class Watch implements Handler<Long> {
  private final Vertx vertx;
  private final long millis;
  private final BooleanSupplier well;
  private long timer;

  /**
   * Begins one.
   *
   * @param well asked after each period; once it says no it is not asked again
   */
  Watch(Vertx vertx, long millis, BooleanSupplier well) {
    this.vertx = vertx;
    this.millis = millis;
    this.well = well;
    timer = vertx.setTimer(millis, this);
  }

  @Override
  public void handle(Long fired) {
    if (well.getAsBoolean()) {
      timer = vertx.setTimer(millis, this);
    }
  }

  void end() {
    vertx.cancelTimer(timer);
  }
}
