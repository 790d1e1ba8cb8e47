package io.weir.client;

import io.weir.Decision;
import io.weir.client.StructuredFieldParser.StructuredFieldItem;
import io.weir.http.RateLimitHeaders;
import io.weir.internal.JsonReader;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.rule.Verdict;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.Clock;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Parses responses of the decision API. They contain the tightest limit of each rule, with times in
 * milliseconds; its rate is taken from {@code RateLimit-Policy}. Thread-safe.
 */
final class DecisionReader {
  private static final int MAX_CACHED_LIMITS = 10_000;
  private static final long MICROS_PER_MILLI = 1_000;
  private static final long NEVER = -1;

  /**
   * The period of a limit whose period is unknown. It is not a whole number of seconds, so it is
   * never reported further.
   */
  private static final Duration UNKNOWN_PERIOD = Duration.ofDays(1).plusMillis(1);

  private final Clock clock;
  private final Map<LimitKey, Limit> limits = new ConcurrentHashMap<>();

  DecisionReader(Clock clock) {
    this.clock = clock;
  }

  /** The reported properties of a limit; key of the cache of limits. */
  private record LimitKey(String rule, boolean shadow, long capacity, Rate rate) {}

  /** A decision, and the id of its reservation or of its permit; null if there is none. */
  record DecisionResponse(
      Decision decision, @Nullable String reservationId, @Nullable String permitId) {}

  /**
   * Parses a response.
   *
   * @throws IllegalArgumentException if it is not a decision
   */
  DecisionResponse read(HttpResponse<String> response, long cost) {
    Map<String, @Nullable Object> body = JsonReader.readObject(response.body());
    List<StructuredFieldItem> policies =
        StructuredFieldParser.parse(
            response.headers().allValues(RateLimitHeaders.RATE_LIMIT_POLICY));
    boolean degraded = booleanField(body, "degraded");
    long delay = numberField(body, "delay_ms");
    List<Claim> claims = new ArrayList<>();
    List<ClaimOutcome> outcomes = new ArrayList<>();
    if (!(body.get("rules") instanceof List<?> rules)) {
      throw new IllegalArgumentException("rules is not a list");
    }
    for (Object rule : rules) {
      if (!(rule instanceof Map<?, ?> row)) {
        throw new IllegalArgumentException("a rule is not an object");
      }
      claims.add(new Claim(limit(row, policies), 0, cost));
      outcomes.add(outcome(row, degraded, delay));
    }
    Decision decision = EvaluatedDecision.of(claims, outcomes, numberField(body, "revision"));
    if (decision.allowed() != booleanField(body, "allowed")) {
      throw new IllegalArgumentException("the rules contradict the field allowed");
    }
    return new DecisionResponse(
        decision,
        body.get("reservation") instanceof String id ? id : null,
        body.get("id") instanceof String id ? id : null);
  }

  /**
   * The remaining permits are null if the fallback decided; older servers send 0 for all fields.
   */
  private ClaimOutcome outcome(Map<?, ?> row, boolean degraded, long delay) {
    boolean admitted = booleanField(row, "allowed");
    long wait = numberField(row, "retry_after_ms");
    if (row.get("action") != null) {
      return new ClaimOutcome(admitted, false, 0, 0, admitted ? 0 : NEVER, clock.wallMicros());
    }
    long pause = admitted ? (booleanField(row, "shadow") ? 0 : delay) : wait == 0 ? NEVER : wait;
    return new ClaimOutcome(
        admitted,
        degraded,
        degraded && row.get("remaining") == null ? 0 : numberField(row, "remaining"),
        numberField(row, "reset_ms") * MICROS_PER_MILLI,
        pause == NEVER ? NEVER : pause * MICROS_PER_MILLI,
        clock.wallMicros());
  }

  private Limit limit(Map<?, ?> row, List<StructuredFieldItem> policies) {
    if (!(row.get("id") instanceof String id)) {
      throw new IllegalArgumentException("a rule has no id");
    }
    Verdict verdict = verdict(row.get("action"));
    if (verdict != Verdict.COUNT) {
      return Limit.withoutCounter(id, verdict, booleanField(row, "shadow"));
    }
    long most = numberField(row, "limit");
    LimitKey key = new LimitKey(id, booleanField(row, "shadow"), most, rate(id, most, policies));
    Limit known = limits.get(key);
    if (known != null) {
      return known;
    }
    if (limits.size() >= MAX_CACHED_LIMITS) {
      limits.clear();
    }
    return limits.computeIfAbsent(key, DecisionReader::toLimit);
  }

  private static Verdict verdict(@Nullable Object action) {
    if (action == null) {
      return Verdict.COUNT;
    }
    for (Verdict verdict : Verdict.values()) {
      if (verdict.code().equals(action)) {
        return verdict;
      }
    }
    throw new IllegalArgumentException("an action is not known");
  }

  /** Returns the rate of the policy of a rule whose capacity is that of the reported limit. */
  private static Rate rate(String id, long most, List<StructuredFieldItem> policies) {
    for (StructuredFieldItem policy : policies) {
      boolean ofRule = policy.name().equals(id) || policy.name().startsWith(id + "/");
      long permits = policy.number("q");
      long burst = policy.number("weir-burst");
      long seconds = policy.number("w");
      if (ofRule && permits >= 0 && seconds > 0 && (burst < 0 ? permits : burst) == most) {
        return new Rate(permits, Duration.ofSeconds(seconds));
      }
    }
    return new Rate(most, UNKNOWN_PERIOD);
  }

  private static Limit toLimit(LimitKey key) {
    RuleBuilder rule = Rule.named(key.rule).shadow(key.shadow).limit(List.of(key.rate));
    return CompiledRule.of(
            (key.rate.permits() == key.capacity
                    ? rule.algorithm("fixed-window")
                    : rule.algorithm("token-bucket").burst(key.capacity))
                .build())
        .limits()
        .get(0);
  }

  private static boolean booleanField(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof Boolean truth) {
      return truth;
    }
    throw new IllegalArgumentException(name + " is not a boolean");
  }

  private static long numberField(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof Long number
        && number >= 0
        && number <= NumberParser.MAX_VALUE) {
      return number;
    }
    throw new IllegalArgumentException(name + " is not a valid number");
  }
}
