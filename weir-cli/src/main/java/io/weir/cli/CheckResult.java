package io.weir.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.RefusalReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A decision, parsed from the response of the decision API. Times are in milliseconds.
 *
 * @param costExceedsLimit whether the cost exceeds the limit, so that the request can never be
 *     admitted
 * @param storeUnavailable whether a rule failed closed, since the store had no answer
 * @param bindingRule the binding rule: the one that refused, or the one with the fewest permits
 *     left
 */
record CheckResult(
    boolean allowed,
    boolean degraded,
    boolean costExceedsLimit,
    boolean storeUnavailable,
    long delayMillis,
    long retryAfterMillis,
    long revision,
    Optional<RuleCheckResult> bindingRule,
    List<RuleCheckResult> rules) {

  /**
   * The result of one rule.
   *
   * @param remaining empty if the store did not answer
   */
  record RuleCheckResult(
      String id,
      boolean allowed,
      boolean shadow,
      long limit,
      OptionalLong remaining,
      long resetMillis,
      long retryAfterMillis) {}

  /**
   * Parses the response of a server.
   *
   * @throws IllegalArgumentException if it is not a decision
   */
  static CheckResult parse(String json) {
    try {
      JsonObject all = new JsonObject(json);
      List<RuleCheckResult> rows = parseRules(all.getJsonArray("rules"));
      Optional<String> named = Optional.ofNullable(all.getString("rule"));
      Optional<RuleCheckResult> bound =
          named.isPresent()
              ? rows.stream().filter(row -> row.id().equals(named.get())).findFirst()
              : rows.stream()
                  .filter(row -> !row.shadow())
                  .min(Comparator.comparingLong(row -> row.remaining().orElse(Long.MAX_VALUE)));
      return new CheckResult(
          all.getBoolean("allowed"),
          all.getBoolean("degraded"),
          RefusalReason.COST_EXCEEDS_LIMIT.code().equals(all.getString("error")),
          RefusalReason.STORE_UNAVAILABLE.code().equals(all.getString("error")),
          all.getLong("delay_ms"),
          all.getLong("retry_after_ms"),
          all.getLong("revision"),
          bound,
          rows);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw new IllegalArgumentException("the response is not a decision", e);
    }
  }

  private static List<RuleCheckResult> parseRules(JsonArray rules) {
    List<RuleCheckResult> rows = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      JsonObject rule = rules.getJsonObject(i);
      rows.add(
          new RuleCheckResult(
              rule.getString("id"),
              rule.getBoolean("allowed"),
              rule.getBoolean("shadow"),
              rule.getLong("limit"),
              parseRemaining(rule),
              rule.getLong("reset_ms"),
              rule.getLong("retry_after_ms")));
    }
    return rows;
  }

  private static OptionalLong parseRemaining(JsonObject rule) {
    Long permits = rule.getLong("remaining");
    return permits == null ? OptionalLong.empty() : OptionalLong.of(permits);
  }
}
