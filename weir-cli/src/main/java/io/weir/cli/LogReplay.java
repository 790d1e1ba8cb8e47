package io.weir.cli;

import io.weir.Decision;
import io.weir.Request;
import io.weir.admin.traffic.ReplayLimiter;
import io.weir.cli.accesslog.LoggedRequest;
import io.weir.lab.ExperimentResult;
import io.weir.lab.ExperimentResult.PlotSeries;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleSet;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Replays the requests of an access log under rules, one after the other, and reports what each
 * rule would have refused, whom and when. The rules act together, as on a server with one node.
 * Memory does not grow with the log. Not thread-safe.
 */
final class LogReplay implements AutoCloseable {
  private static final String ALLOWED = "allowed";
  private static final int MAX_PLOTTED_RULES = 6;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  private final Map<String, RuleReplayStats> stats = new LinkedHashMap<>();
  private final Map<String, List<String>> perAttributes = new HashMap<>();
  private final RefusalTimeline timeline = new RefusalTimeline();
  private final TreeSet<String> seenAttributes = new TreeSet<>();
  private final List<Rule> rules;
  private final Map<String, String> constants;
  private final ReplayLimiter limiter;
  private long requests;
  private long refused;
  private long firstMicros;
  private long lastMicros;
  private long outOfOrder;
  private long largestStepBackMicros;
  private boolean hasFractions;

  /**
   * @param constants attributes added to every request that does not have them
   */
  LogReplay(List<Rule> rules, Map<String, String> constants) {
    this.rules = rules;
    this.constants = constants;
    limiter = new ReplayLimiter(RuleSet.of(rules.toArray(new Rule[0])));
    for (Rule rule : rules) {
      stats.put(rule.id(), new RuleReplayStats());
      boolean blocks = rule.action() == RuleAction.BLOCK;
      perAttributes.put(
          rule.id(), blocks ? List.copyOf(rule.match().patterns().keySet()) : rule.per());
    }
  }

  void accept(LoggedRequest logged) {
    long micros = timeOf(logged);
    Map<String, String> attributes = new TreeMap<>(constants);
    attributes.putAll(logged.attributes());
    seenAttributes.addAll(attributes.keySet());
    Request request = Request.of(attributes).cost(logged.cost());
    Decision decision = limiter.decideAt(micros, request);
    for (Decision.RuleOutcome outcome : decision.rules()) {
      RuleReplayStats one = stats.computeIfAbsent(outcome.rule(), id -> new RuleReplayStats());
      one.recordMatch();
      if (!outcome.allowed()) {
        one.recordRefusal(callerOf(outcome.rule(), request), micros);
        timeline.add(outcome.rule(), micros);
      }
    }
    if (decision.allowed()) {
      timeline.add(ALLOWED, micros);
    } else {
      refused++;
    }
  }

  /**
   * Returns the time at which a request is decided. Servers write a line when the response ends, so
   * lines can be slightly out of order; such a request is decided at the latest time so far.
   */
  private long timeOf(LoggedRequest logged) {
    if (requests++ == 0) {
      firstMicros = logged.micros();
      lastMicros = firstMicros;
    }
    if (logged.micros() < lastMicros) {
      outOfOrder++;
      largestStepBackMicros = Math.max(largestStepBackMicros, lastMicros - logged.micros());
    }
    hasFractions |= logged.micros() % 1_000_000 != 0;
    lastMicros = Math.max(lastMicros, logged.micros());
    return lastMicros;
  }

  private String callerOf(String ruleId, Request request) {
    List<String> per = perAttributes.getOrDefault(ruleId, List.of());
    return per.isEmpty()
        ? "all callers"
        : per.stream()
            .map(name -> name + "=" + (request.get(name) == null ? "(none)" : request.get(name)))
            .collect(Collectors.joining(" "));
  }

  long requests() {
    return requests;
  }

  /** Returns the figures, one row per rule, and the refusals over time. */
  ExperimentResult result(String rulesName, String logName) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("requests", (double) requests);
    figures.put("allowed", (double) (requests - refused));
    figures.put("refused", (double) refused);
    figures.put("refused_percent", percent(refused, requests));
    figures.put("hours", Math.round((lastMicros - firstMicros) / 36_000_000.0) / 100.0);
    List<List<String>> rows = new ArrayList<>();
    for (Rule rule : rules) {
      rows.add(row(rule, stats.getOrDefault(rule.id(), new RuleReplayStats())));
    }
    String part = TerminalText.formatMillis(timeline.partSeconds() * 1000);
    return new ExperimentResult(
        "%s replayed with %s, %s to %s UTC"
            .formatted(logName, rulesName, time(firstMicros), time(lastMicros)),
        figures,
        List.of("rule", "matches", "refused", "refused, %", "callers", "first", "most in " + part),
        rows,
        "seconds since " + time(firstMicros) + " UTC",
        "requests per " + part,
        series());
  }

  private List<String> row(Rule rule, RuleReplayStats one) {
    boolean any = one.refused() > 0;
    RefusalTimeline.Peak peak = timeline.peak(rule.id());
    String mode = !rule.enabled() ? " (disabled)" : rule.shadow() ? " (shadow)" : "";
    return List.of(
        rule.id() + mode,
        String.valueOf(one.matched()),
        String.valueOf(one.refused()),
        ExperimentResult.formatNumber(percent(one.refused(), one.matched())),
        one.callerCount(),
        any ? time(one.firstRefusalMicros()) : "-",
        any ? peak.count() + " at " + time(peak.startMicros()) : "-");
  }

  private static double percent(long part, long whole) {
    return whole == 0 ? 0 : Math.round(10_000.0 * part / whole) / 100.0;
  }

  private List<PlotSeries> series() {
    List<PlotSeries> series = new ArrayList<>();
    series.add(new PlotSeries(ALLOWED, timeline.points(ALLOWED)));
    stats.entrySet().stream()
        .filter(entry -> entry.getValue().refused() > 0)
        .sorted((a, b) -> Long.compare(b.getValue().refused(), a.getValue().refused()))
        .limit(MAX_PLOTTED_RULES)
        .forEach(
            entry ->
                series.add(
                    new PlotSeries(
                        "refused by " + entry.getKey(), timeline.points(entry.getKey()))));
    return series;
  }

  /** Returns the callers that each rule would have refused most; empty if there are none. */
  TextTable topCallers(int count) {
    TextTable table = new TextTable("rule", "most refused caller", "refused");
    stats.forEach(
        (rule, one) ->
            one.topCallers(count).forEach(top -> table.addRow(rule, top.caller(), top.refused())));
    return table;
  }

  boolean anyRefused() {
    return stats.values().stream().anyMatch(one -> one.refused() > 0);
  }

  /** Returns what the log does not say, and so this replay does not either. */
  List<String> caveats() {
    List<String> caveats = new ArrayList<>();
    for (Rule rule : rules) {
      TreeSet<String> missing = new TreeSet<>(rule.match().patterns().keySet());
      missing.addAll(rule.per());
      rule.overrides().forEach(override -> missing.addAll(override.when().patterns().keySet()));
      missing.removeAll(seenAttributes);
      if (!missing.isEmpty() && rule.enabled()) {
        caveats.add(
            "rule %s uses %s, which the log does not have; add it with --set %s=…"
                .formatted(rule.id(), String.join(" and ", missing), missing.first()));
      }
    }
    if (!hasFractions) {
      caveats.add(
          "the log has whole seconds: all requests of a second are decided at its start, so limits"
              + " per second look stricter than they are");
    }
    if (outOfOrder > 0) {
      caveats.add(
          "%d lines are out of order by up to %s; they are decided at the time of the latest line"
                  .formatted(outOfOrder, TerminalText.formatMillis(largestStepBackMicros / 1000))
              + " before them");
    }
    return caveats;
  }

  private static String time(long micros) {
    return TIME.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  @Override
  public void close() {
    limiter.close();
  }
}
