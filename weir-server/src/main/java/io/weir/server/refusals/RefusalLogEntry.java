package io.weir.server.refusals;

import io.weir.Request;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeSet;

/**
 * An entry of the refusal log: one request refused by one rule.
 *
 * @param sampler the sampler of the rule
 * @param time microseconds since the epoch
 * @param limit the limit of the rule that refused the request
 */
record RefusalLogEntry(
    RefusalSampler sampler,
    long time,
    Request request,
    Limit limit,
    ClaimOutcome outcome,
    long revision) {
  private static final DateTimeFormatter TIME_FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /**
   * Returns the entry as JSON. Values need no escaping: they contain only words, digits and stars.
   */
  String toJson(CallerHash hash) {
    String endpoint = request.get("endpoint");
    return "{\"time\":\""
        + time(time)
        + "\",\"event\":\"refused\",\"rule\":\""
        + limit.rule().id()
        + "\",\"key\":\""
        + hash.hash(request, callerAttributes())
        + "\",\"endpoint\":"
        + (endpoint == null ? "null" : '"' + EndpointRedactor.redact(request, endpoint) + '"')
        + ",\"reason\":\""
        + reason()
        + "\",\"retry_after_ms\":"
        + (outcome.retryAfter() + 999) / 1000
        + ",\"shadow\":"
        + limit.shadow()
        + ",\"degraded\":"
        + outcome.degraded()
        + ",\"revision\":"
        + revision
        + "}";
  }

  /** Returns the line that reports the number of dropped refusals of a rule. */
  static String droppedJson(long time, String rule, long count) {
    return "{\"time\":\""
        + time(time)
        + "\",\"event\":\"dropped\",\"rule\":\""
        + rule
        + "\",\"dropped\":"
        + count
        + "}";
  }

  /**
   * Returns the attributes that identify the caller: all of them if only the request has a limit.
   */
  private List<String> callerAttributes() {
    List<String> per = limit.rule().per();
    return per.isEmpty() && request.limit() != null
        ? List.copyOf(new TreeSet<>(request.attributes().keySet()))
        : per;
  }

  private String reason() {
    return EvaluatedDecision.refusalReason(limit, outcome).code();
  }

  private static String time(long micros) {
    return TIME_FORMAT.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }
}
