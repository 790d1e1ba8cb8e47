package io.weir.server.tracing;

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
 * A span {@code weir.decide} around each decision, as part of the caller's trace, where the user
 * has an OpenTelemetry agent or SDK. Where not, it costs a look at a field.
 *
 * <pre>{@code
 * Span span = tracing.begin(http, HttpServerRequest::getHeader);
 * limiter.decide(request).thenAccept(d -> { tracing.end(span, d); … });
 * }</pre>
 *
 * <p>A span names the rule that bound, never the caller. Safe for any number of threads.
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

  /** By what an agent has set up, or the SDK's own configuration; once, at the start. */
  public static Tracing global() {
    return new Tracing(GlobalOpenTelemetry.get());
  }

  /** Whether anybody has set it up. */
  public boolean isActive() {
    return active;
  }

  /**
   * Begins the span of a decision, within the span this thread is in, or else within the trace that
   * the request's headers name.
   *
   * @param header the value of a request's header, or null
   */
  public <R> Span startSpan(R request, BiFunction<R, String, @Nullable String> header) {
    if (!active) {
      return Span.getInvalid();
    }
    Context here = Context.current();
    boolean within = Span.fromContext(here).getSpanContext().isValid();
    Context parent =
        within
            ? here
            : propagator.extract(
                here, request, (from, name) -> from == null ? null : header.apply(from, name));
    return tracer.spanBuilder("weir.decide").setParent(parent).startSpan();
  }

  /** Ends the span of a decision with what was decided. */
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
