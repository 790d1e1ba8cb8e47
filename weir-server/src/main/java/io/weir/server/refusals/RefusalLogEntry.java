package io.weir.server.refusals;

import io.weir.Request;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeSet;

/**
 * One refusal by one rule, on its way to the log.
 *
 * @param time in microseconds since the epoch
 * @param limit the rule's limit that refused
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

  /** As JSON. No value needs an escape: none but words, digits and stars can be in them. */
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

  /** The line that states how many were not written. */
  static String droppedJson(long time, String rule, long count) {
    return "{\"time\":\""
        + time(time)
        + "\",\"event\":\"dropped\",\"rule\":\""
        + rule
        + "\",\"dropped\":"
        + count
        + "}";
  }

  /** What its caller is known by; all there is, where the request brought the only limit. */
  private List<String> callerAttributes() {
    List<String> per = limit.rule().per();
    return per.isEmpty() && request.limit() != null
        ? List.copyOf(new TreeSet<>(request.attributes().keySet()))
        : per;
  }

  private String reason() {
    if (outcome.degraded()) {
      return "store_unavailable";
    }
    return outcome.costExceedsLimit() ? "cost_exceeds_limit" : "rate_limited";
  }

  private static String time(long micros) {
    return TIME_FORMAT.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }
}
