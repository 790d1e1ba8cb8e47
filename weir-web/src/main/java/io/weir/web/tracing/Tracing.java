package io.weir.web.tracing;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.weir.Decision;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Records a span {@code weir.decide} for each decision, as part of the caller's trace, if an
 * OpenTelemetry agent or SDK is present. If not, the cost is one field read.
 *
 * <pre>{@code
 * Span span = tracing.begin(http, HttpServerRequest::getHeader);
 * limiter.decide(request).thenAccept(d -> { tracing.end(span, d); … });
 * }</pre>
 *
 * <p>A span contains the binding rule, never the caller. Safe for any number of threads.
 */
public final class Tracing {
  private static final AttributeKey<String> RULE = AttributeKey.stringKey("weir.rule");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("weir.outcome");
  private static final AttributeKey<Boolean> DEGRADED = AttributeKey.booleanKey("weir.degraded");
  private static final AttributeKey<Long> REVISION = AttributeKey.longKey("weir.revision");

  private final boolean active;
  private final Tracer tracer;
  private final TextMapPropagator propagator;

  public Tracing(OpenTelemetry telemetry) {
    active = telemetry.getTracerProvider() != TracerProvider.noop();
    tracer = telemetry.getTracer("io.weir");
    propagator = telemetry.getPropagators().getTextMapPropagator();
  }

  /** Uses the global OpenTelemetry, as set up by an agent or the SDK; call once, at startup. */
  public static Tracing global() {
    return new Tracing(GlobalOpenTelemetry.get());
  }

  /** Whether an OpenTelemetry agent or SDK is present. */
  public boolean isActive() {
    return active;
  }

  /**
   * Starts the span of a decision. Its parent is the current span of this thread, or else the trace
   * context in the request's headers.
   *
   * @param header returns the value of a request header, or null
   */
  public <R> Span startSpan(R request, BiFunction<R, String, @Nullable String> header) {
    if (!active) {
      return Span.getInvalid();
    }
    Context current = Context.current();
    boolean hasCurrentSpan = Span.fromContext(current).getSpanContext().isValid();
    Context parent =
        hasCurrentSpan
            ? current
            : propagator.extract(
                current,
                request,
                (carrier, name) -> carrier == null ? null : header.apply(carrier, name));
    return tracer.spanBuilder("weir.decide").setParent(parent).startSpan();
  }

  /** Adds the decision to its span and ends the span. */
  public void endSpan(Span span, Decision decision) {
    if (span.isRecording()) {
      decision.rule().ifPresent(rule -> span.setAttribute(RULE, rule));
      span.setAttribute(OUTCOME, decision.allowed() ? "allowed" : "refused");
      span.setAttribute(DEGRADED, decision.degraded());
      span.setAttribute(REVISION, decision.revision());
    }
    span.end();
  }
}
