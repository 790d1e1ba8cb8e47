package io.weir.web.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans of decisions, with and without an OpenTelemetry SDK. */
class TracingTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final Map<String, String> TRACED =
      Map.of("traceparent", "00-" + TRACE + "-" + CALLER + "-01");

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final OpenTelemetrySdk sdk = sdk(Sampler.parentBased(Sampler.alwaysOn()));
  private final Limiter limiter =
      Weir.limiter(RuleSet.of(Rule.named("api").per("user").limit("1/minute").build()))
          .clock(new FakeClock())
          .build();

  @AfterEach
  void close() {
    sdk.close();
    GlobalOpenTelemetry.resetForTest();
  }

  @Test
  void decision_isASpanOfTheCallersTrace() {
    decide(new Tracing(sdk), TRACED);
    SpanData span = spans.getFinishedSpanItems().get(0);
    assertThat(span.getName()).isEqualTo("weir.decide");
    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getParentSpanId()).isEqualTo(CALLER);
    assertThat(span.getAttributes().asMap()).isEqualTo(attributes("allowed"));
  }

  @Test
  void refusal_isRecordedAndIsNoError() {
    decide(new Tracing(sdk), TRACED);
    decide(new Tracing(sdk), TRACED);
    SpanData span = spans.getFinishedSpanItems().get(1);
    assertThat(span.getAttributes().asMap()).isEqualTo(attributes("refused"));
    assertThat(span.getStatus().getStatusCode().name()).isEqualTo("UNSET");
  }

  @Test
  void noBindingRule_isNoAttribute() {
    Tracing tracing = new Tracing(sdk);
    Decision unlimited = limiter.decideNow(Request.of("host", "shop.example"));
    tracing.endSpan(tracing.startSpan(TRACED, Map::get), unlimited);
    assertThat(spans.getFinishedSpanItems().get(0).getAttributes().size()).isEqualTo(3);
  }

  @Test
  void noTraceContext_startsANewTrace() {
    decide(new Tracing(sdk), Map.of());
    decide(new Tracing(sdk), Map.of("traceparent", "00-garbage\r\n-01"));
    assertThat(spans.getFinishedSpanItems())
        .hasSize(2)
        .allMatch(span -> !span.getParentSpanContext().isValid());
  }

  @Test
  void currentSpan_isTheParent() {
    Span server = sdk.getTracer("server").spanBuilder("POST /v1/check").startSpan();
    try (Scope scope = server.makeCurrent()) {
      assertThat(scope).isNotNull();
      decide(new Tracing(sdk), TRACED);
    }
    assertThat(spans.getFinishedSpanItems().get(0).getParentSpanId())
        .isEqualTo(server.getSpanContext().getSpanId());
  }

  @Test
  void unsampledTrace_isNotRecorded() {
    decide(new Tracing(sdk), Map.of("traceparent", "00-" + TRACE + "-" + CALLER + "-00"));
    assertThat(spans.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void noSdk_doesNothingAndReadsNoHeaders() {
    Tracing tracing = Tracing.global();
    assertThat(tracing.isActive()).isFalse();
    Span span =
        tracing.startSpan(
            TRACED,
            (headers, name) -> {
              throw new AssertionError("read header " + name);
            });
    tracing.endSpan(span, limiter.decideNow(Request.of("user", "ann")));
    assertThat(span).isSameAs(Span.getInvalid());
  }

  @Test
  void globalOpenTelemetry_isUsed() {
    GlobalOpenTelemetry.set(sdk);
    Tracing tracing = Tracing.global();
    assertThat(tracing.isActive()).isTrue();
    decide(tracing, TRACED);
    assertThat(spans.getFinishedSpanItems()).hasSize(1);
  }

  private void decide(Tracing tracing, Map<String, String> headers) {
    Span span = tracing.startSpan(headers, Map::get);
    tracing.endSpan(span, limiter.decideNow(Request.of("user", "ann")));
  }

  private static Map<AttributeKey<?>, Object> attributes(String outcome) {
    return Map.of(
        AttributeKey.stringKey("weir.rule"),
        "api",
        AttributeKey.stringKey("weir.outcome"),
        outcome,
        AttributeKey.booleanKey("weir.degraded"),
        false,
        AttributeKey.longKey("weir.revision"),
        1L);
  }

  private OpenTelemetrySdk sdk(Sampler sampler) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build())
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
  }
}
