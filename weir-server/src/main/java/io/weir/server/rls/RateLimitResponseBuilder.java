package io.weir.server.rls;

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
import io.weir.algorithm.Algorithms;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import java.util.List;

/** Tells Envoy of decisions: a status for each descriptor, and what the caller is to be told. */
final class RateLimitResponseBuilder {
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final String CONTENT_TYPE = "content-type";

  private final boolean includeHeaders;

  /**
   * @param headers whether callers are told of their limits
   */
  RateLimitResponseBuilder(boolean headers) {
    this.includeHeaders = headers;
  }

  RateLimitResponse build(List<DescriptorRequest> asked, List<Decision> decisions) {
    RateLimitResponse.Builder answer = RateLimitResponse.newBuilder();
    Decision tightest = decisions.get(0);
    Decision refusal = null;
    for (int i = 0; i < asked.size(); i++) {
      Decision decision = decisions.get(i);
      boolean refused = !asked.get(i).alreadyHappened() && !decision.allowed();
      answer.addStatuses(descriptorStatus(decision, refused ? Code.OVER_LIMIT : Code.OK));
      if (decision.isTighterThan(tightest)) {
        tightest = decision;
      }
      if (refused && (refusal == null || decision.isTighterThan(refusal))) {
        refusal = decision;
      }
    }
    answer.setOverallCode(refusal == null ? Code.OK : Code.OVER_LIMIT);
    Decision told = refusal == null ? tightest : refusal;
    if (includeHeaders) {
      RateLimitHeaders.write(
          told, (name, value) -> answer.addResponseHeadersToAdd(header(name, value)));
    }
    if (refusal != null) {
      RefusalResponse body = RefusalResponse.of(refusal, null);
      answer.addResponseHeadersToAdd(header(CONTENT_TYPE, body.contentType()));
      answer.setRawBody(ByteString.copyFromUtf8(body.body()));
    }
    return answer.setDynamicMetadata(dynamicMetadata(told, decisions)).build();
  }

  private static DescriptorStatus descriptorStatus(Decision decision, Code code) {
    DescriptorStatus.Builder status = DescriptorStatus.newBuilder().setCode(code);
    if (decision.bindingIndex() < 0) {
      return status.build();
    }
    Limit limit = decision.claim(decision.bindingIndex()).limit();
    ClaimOutcome outcome = decision.outcome(decision.bindingIndex());
    // Envoy cuts off fractions, and makes its Retry-After of it
    long until = microsUntilReset(limit, outcome);
    long seconds = (until + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND;
    return status
        .setCurrentLimit(
            RateLimit.newBuilder()
                .setName(limit.rule().id())
                .setRequestsPerUnit(toUint32(limit.rate().permits()))
                .setUnit(EnvoyTimeUnits.unitOf(limit.rate().period())))
        .setLimitRemaining(toUint32(outcome.remaining()))
        .setDurationUntilReset(Duration.newBuilder().setSeconds(seconds))
        .build();
  }

  /**
   * The time until a refused call may be tried again, or until all permits are back. Of a limit
   * that never fits, such as 0, the end of the current window, as envoyproxy/ratelimit answers.
   */
  private static long microsUntilReset(Limit limit, ClaimOutcome outcome) {
    if (outcome.costExceedsLimit() && limit.algorithm() == Algorithms.FIXED_WINDOW) {
      long period = limit.parameters().periodMicros();
      return Math.max(outcome.reset(), period - Math.floorMod(outcome.time(), period));
    }
    return outcome.admitted() || outcome.costExceedsLimit()
        ? outcome.reset()
        : outcome.retryAfter();
  }

  /** What filters and logs of Envoy's are told: which rule, and what else they cannot see. */
  private static Struct dynamicMetadata(Decision told, List<Decision> decisions) {
    Struct.Builder metadata = Struct.newBuilder();
    told.rule().ifPresent(id -> metadata.putFields("rule", stringValue(id)));
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
