package io.weir.server.web;

import io.opentelemetry.api.trace.Span;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.TooManyLimitsException;
import io.weir.metrics.DecisionMetrics;
import io.weir.server.tracing.Tracing;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Where doors bring their questions: it asks the limiter, measures and traces the decision, and
 * goes on with it on the event loop that asked.
 */
public final class DecisionHandler {
  private final Limiter limiter;
  private final DecisionMetrics metrics;
  private final Tracing tracing;

  public DecisionHandler(Limiter limiter, DecisionMetrics metrics, Tracing tracing) {
    this.limiter = limiter;
    this.metrics = metrics;
    this.tracing = tracing;
  }

  public Limiter limiter() {
    return limiter;
  }

  /**
   * Asks, on behalf of what came over HTTP.
   *
   * @throws TooManyLimitsException if it cannot be decided: answer 400
   */
  public void decide(
      HttpServerRequest http, Request request, StoreOperation mode, Consumer<Decision> next) {
    long came = metrics.now();
    Span span = tracing.startSpan(http, HttpServerRequest::getHeader);
    CompletableFuture<Decision> asked;
    try {
      asked = limiter.execute(request, mode);
    } catch (TooManyLimitsException e) {
      span.end();
      throw e;
    }
    thenOnEventLoop(
        asked,
        decision -> {
          metrics.recordLatencySince(came);
          tracing.endSpan(span, decision);
          next.accept(decision);
        });
  }

  /** Goes on with what comes, on this event loop. */
  public static <T> void thenOnEventLoop(CompletableFuture<T> future, Consumer<T> next) {
    if (future.isDone()) {
      next.accept(future.join());
      return;
    }
    Context context = Vertx.currentContext();
    var unused = future.thenAccept(value -> context.runOnContext(v -> next.accept(value)));
  }
}
