package io.weir.web;

import io.opentelemetry.api.trace.Span;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.TooManyLimitsException;
import io.weir.metrics.DecisionMetrics;
import io.weir.store.StoreOperation;
import io.weir.web.tracing.Tracing;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decides on requests for the HTTP endpoints: calls the limiter, measures and traces the decision,
 * and passes it to a callback on the event loop of the request. Safe for any number of threads.
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
   * Decides on behalf of an HTTP request.
   *
   * @param next called with the decision, on the event loop of the request
   * @throws TooManyLimitsException if the request cannot be decided; answer it with 400
   */
  public void decide(
      HttpServerRequest http, Request request, StoreOperation mode, Consumer<Decision> next) {
    handle(http, () -> limiter.execute(request, mode), Function.identity(), next);
  }

  /**
   * As {@link #decide}, and takes slots of in-flight limits.
   *
   * @param next must release the permit when the request has ended
   */
  public void acquire(HttpServerRequest http, Request request, Consumer<Limiter.Permit> next) {
    handle(http, () -> limiter.acquireAsync(request), Limiter.Permit::decision, next);
  }

  private <T> void handle(
      HttpServerRequest http,
      Supplier<CompletableFuture<T>> call,
      Function<T, Decision> decisionOf,
      Consumer<T> next) {
    long startedAt = metrics.now();
    Span span = tracing.startSpan(http, HttpServerRequest::getHeader);
    CompletableFuture<T> pending;
    try {
      pending = call.get();
    } catch (TooManyLimitsException e) {
      span.end();
      throw e;
    }
    thenOnEventLoop(
        pending,
        answer -> {
          metrics.recordLatencySince(startedAt);
          tracing.endSpan(span, decisionOf.apply(answer));
          next.accept(answer);
        });
  }

  /** Calls {@code next} with the result of a future, on the current event loop. */
  public static <T> void thenOnEventLoop(CompletableFuture<T> future, Consumer<T> next) {
    if (future.isDone()) {
      next.accept(future.join());
      return;
    }
    Context context = Vertx.currentContext();
    var unused = future.thenAccept(value -> context.runOnContext(v -> next.accept(value)));
  }
}
