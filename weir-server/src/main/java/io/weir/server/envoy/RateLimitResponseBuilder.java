package io.weir.server.envoy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.weir.Decision;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import java.util.List;

/** Builds the response to Envoy: a status per descriptor, headers for the caller, and metadata. */
final class RateLimitResponseBuilder {
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final String CONTENT_TYPE = "content-type";

  private final boolean includeHeaders;

  /**
   * @param includeHeaders whether the response contains rate limit headers for the caller
   */
  RateLimitResponseBuilder(boolean includeHeaders) {
    this.includeHeaders = includeHeaders;
  }

  RateLimitResponse build(List<DescriptorRequest> requests, List<Decision> decisions) {
    RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
    Decision tightest = decisions.get(0);
    Decision refusal = null;
    for (int i = 0; i < requests.size(); i++) {
      Decision decision = decisions.get(i);
      boolean refused = !requests.get(i).alreadyHappened() && !decision.allowed();
      response.addStatuses(descriptorStatus(decision, refused ? Code.OVER_LIMIT : Code.OK));
      if (decision.isTighterThan(tightest)) {
        tightest = decision;
      }
      if (refused && (refusal == null || decision.isTighterThan(refusal))) {
        refusal = decision;
      }
    }
    response.setOverallCode(refusal == null ? Code.OK : Code.OVER_LIMIT);
    Decision reported = refusal == null ? tightest : refusal;
    if (includeHeaders) {
      RateLimitHeaders.write(
          reported, (name, value) -> response.addResponseHeadersToAdd(header(name, value)));
    }
    if (refusal != null) {
      RefusalResponse body = RefusalResponse.of(refusal, null);
      response.addResponseHeadersToAdd(header(CONTENT_TYPE, body.contentType()));
      response.setRawBody(ByteString.copyFromUtf8(body.body()));
    }
    return response
        .setDynamicMetadata(dynamicMetadata(response.getOverallCode(), reported, decisions))
        .build();
  }

  private static DescriptorStatus descriptorStatus(Decision decision, Code code) {
    DescriptorStatus.Builder status = DescriptorStatus.newBuilder().setCode(code);
    if (EvaluatedDecision.of(decision).bindingIndex() < 0) {
      return status.build();
    }
    Limit limit =
        EvaluatedDecision.of(decision).claim(EvaluatedDecision.of(decision).bindingIndex()).limit();
    if (!limit.isCounted()) {
      return status.build();
    }
    ClaimOutcome outcome =
        EvaluatedDecision.of(decision).outcome(EvaluatedDecision.of(decision).bindingIndex());
    // in whole seconds, rounded up: Envoy truncates fractions, and derives Retry-After from it
    long until = microsUntilReset(limit, outcome);
    long seconds = (until + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND;
    status.setDurationUntilReset(Duration.newBuilder().setSeconds(seconds));
    if (!outcome.isRemainingKnown()) {
      return status.build(); // Envoy would tell the caller that no permits are left
    }
    return status
        .setCurrentLimit(
            RateLimit.newBuilder()
                .setName(limit.rule().id())
                .setRequestsPerUnit(toUint32(limit.rate().permits()))
                .setUnit(EnvoyTimeUnits.unitOf(limit.rate().period())))
        .setLimitRemaining(toUint32(outcome.remaining()))
        .build();
  }

  /**
   * Returns the time in microseconds until a refused call may be retried, or until all permits are
   * available. For hits that a fixed window never admits, such as any with a limit of 0, it is the
   * end of the current window, as in envoyproxy/ratelimit.
   */
  private static long microsUntilReset(Limit limit, ClaimOutcome outcome) {
    if (outcome.costExceedsLimit() && limit.algorithm() == Algorithms.FIXED_WINDOW) {
      long end = limit.parametersAt(outcome.time()).windowEnd(outcome.time());
      return Math.max(outcome.reset(), end - outcome.time());
    }
    return outcome.admitted() || outcome.costExceedsLimit()
        ? outcome.reset()
        : outcome.retryAfter();
  }

  /**
   * Returns the metadata for Envoy's filters and logs: rule, reason of a refusal, delay, degraded,
   * shadow refusal.
   */
  private static Struct dynamicMetadata(
      Code response, Decision reported, List<Decision> decisions) {
    Struct.Builder metadata = Struct.newBuilder();
    reported.rule().ifPresent(id -> metadata.putFields("rule", stringValue(id)));
    if (response == Code.OVER_LIMIT) {
      reported
          .refusalReason()
          .ifPresent(reason -> metadata.putFields("reason", stringValue(reason.code())));
    }
    long delay = 0;
    boolean degraded = false;
    boolean shadow = false;
    for (Decision decision : decisions) {
      delay = Math.max(delay, millisRoundedUp(decision.delay()));
      degraded |= decision.degraded();
      shadow |= decision.shadowRefused();
    }
    if (delay > 0) {
      metadata.putFields("delay_ms", Value.newBuilder().setNumberValue((double) delay).build());
    }
    if (degraded) {
      metadata.putFields("degraded", trueValue());
    }
    if (shadow) {
      metadata.putFields("shadow_refused", trueValue());
    }
    return metadata.build();
  }

  private static long millisRoundedUp(java.time.Duration duration) {
    return (duration.toNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  private static Value stringValue(String value) {
    return Value.newBuilder().setStringValue(value).build();
  }

  private static Value trueValue() {
    return Value.newBuilder().setBoolValue(true).build();
  }

  private static HeaderValue header(String name, String value) {
    return HeaderValue.newBuilder().setKey(name).setValue(value).build();
  }

  private static int toUint32(long value) {
    return (int) Math.min(value, MAX_UINT32);
  }
}
