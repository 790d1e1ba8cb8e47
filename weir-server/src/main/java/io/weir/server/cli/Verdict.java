package io.weir.server.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A decision as the decision API tells it. Times are in milliseconds.
 *
 * @param never whether its cost can never fit
 * @param bound the rule that bound: the one that refused, else the one with the fewest permits left
 */
record Verdict(
    boolean allowed,
    boolean degraded,
    boolean never,
    long delay,
    long retryAfter,
    long revision,
    Optional<Row> bound,
    List<Row> rules) {

  /**
   * What one rule said.
   *
   * @param remaining empty where the store had no answer
   */
  record Row(
      String id,
      boolean allowed,
      boolean shadow,
      long limit,
      OptionalLong remaining,
      long reset,
      long retryAfter) {}

  /**
   * Reads what a server answered.
   *
   * @throws IllegalArgumentException if that is no decision
   */
  static Verdict read(String json) {
    try {
      JsonObject all = new JsonObject(json);
      List<Row> rows = rows(all.getJsonArray("rules"));
      Optional<String> named = Optional.ofNullable(all.getString("rule"));
      Optional<Row> bound =
          named.isPresent()
              ? rows.stream().filter(row -> row.id().equals(named.get())).findFirst()
              : rows.stream()
                  .filter(row -> !row.shadow())
                  .min(Comparator.comparingLong(row -> row.remaining().orElse(Long.MAX_VALUE)));
      return new Verdict(
          all.getBoolean("allowed"),
          all.getBoolean("degraded"),
          "cost_exceeds_limit".equals(all.getString("error")),
          all.getLong("delay_ms"),
          all.getLong("retry_after_ms"),
          all.getLong("revision"),
          bound,
          rows);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw new IllegalArgumentException("that is no decision", e);
    }
  }

  private static List<Row> rows(JsonArray rules) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      JsonObject rule = rules.getJsonObject(i);
      rows.add(
          new Row(
              rule.getString("id"),
              rule.getBoolean("allowed"),
              rule.getBoolean("shadow"),
              rule.getLong("limit"),
              remaining(rule),
              rule.getLong("reset_ms"),
              rule.getLong("retry_after_ms")));
    }
    return rows;
  }

  private static OptionalLong remaining(JsonObject rule) {
    Long permits = rule.getLong("remaining");
    return permits == null ? OptionalLong.empty() : OptionalLong.of(permits);
  }
}
