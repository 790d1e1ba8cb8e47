package io.weir.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.RefusalReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A decision, parsed from the response of the decision API. Times are in milliseconds.
 *
 * @param refusalReason empty if the request is allowed
 * @param bindingRule the binding rule: the one that refused, or the one with the fewest permits
 *     left
 */
record CheckResult(
    boolean allowed,
    boolean degraded,
    Optional<RefusalReason> refusalReason,
    long delayMillis,
    long retryAfterMillis,
    long revision,
    Optional<RuleCheckResult> bindingRule,
    List<RuleCheckResult> rules) {

  /**
   * The result of one rule.
   *
   * @param action how the rule decided without a counter, such as block; empty if a counter decided
   * @param limit 0 if no counter decided
   * @param remaining empty if the store did not answer
   */
  record RuleCheckResult(
      String id,
      boolean allowed,
      boolean shadow,
      String action,
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
                  .filter(row -> !row.shadow() && row.action().isEmpty())
                  .min(Comparator.comparingLong(row -> row.remaining().orElse(Long.MAX_VALUE)));
      return new CheckResult(
          all.getBoolean("allowed"),
          all.getBoolean("degraded"),
          refusalReason(all.getString("error")),
          all.getLong("delay_ms"),
          all.getLong("retry_after_ms"),
          all.getLong("revision"),
          bound,
          rows);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw new IllegalArgumentException("the response is not a decision", e);
    }
  }

  private static Optional<RefusalReason> refusalReason(@Nullable String code) {
    return Arrays.stream(RefusalReason.values())
        .filter(reason -> reason.code().equals(code))
        .findFirst();
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
              rule.getString("action", ""),
              rule.getLong("limit") == null ? 0 : rule.getLong("limit"),
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
