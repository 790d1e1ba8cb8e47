package io.weir.server.regions;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.background.BackgroundTask;
import io.weir.redis.RedisRegionLedger;
import io.weir.region.LedgerSnapshot;
import io.weir.region.RegionalRules;
import io.weir.region.ShareRebalancer;
import io.weir.rule.RuleSource;
import io.weir.server.web.JsonObjectBuilder;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What of divided rules this node enforces, and, where regions are linked, how that follows demand.
 *
 * <p>Safe for any number of threads.
 */
public final class RegionShareService implements DecisionListener, AutoCloseable {
  private static final Duration RECONCILE_INTERVAL = Duration.ofSeconds(2);
  private static final int MAX_GAUGES = 1000;

  private final RegionalRules rules;
  private final @Nullable ShareRebalancer reconciliation;
  private final @Nullable BackgroundTask task;

  private RegionShareService(
      RegionalRules rules, @Nullable ShareRebalancer link, @Nullable BackgroundTask task) {
    this.rules = rules;
    this.reconciliation = link;
    this.task = task;
  }

  /**
   * Regions that are not linked: shares are as they are written.
   *
   * @param region this node's; empty if it is not said
   */
  public static RegionShareService unlinked(RuleSource written, String region) {
    return new RegionShareService(new RegionalRules(written, region), null, null);
  }

  /**
   * Regions that divide by demand, through a Redis that all can reach. Waits a moment for it; where
   * it is away shares are as they are written, until it comes.
   *
   * @param prefix what the ledger's keys begin with
   * @param nodes how many nodes share the region's store, this one included
   */
  public static RegionShareService linked(
      RuleSource written, String region, String url, String prefix, IntSupplier nodes) {
    RegionalRules rules = new RegionalRules(written, region);
    Clock clock = Clock.system();
    // kept after it ran: a turn that failed before it asked for the next one is followed by one
    AtomicReference<Runnable> turn = new AtomicReference<>(() -> {});
    ShareRebalancer link =
        new ShareRebalancer(
            rules,
            RedisRegionLedger.at(url, prefix),
            clock,
            (micros, next) -> turn.set(next),
            RECONCILE_INTERVAL,
            nodes);
    link.start();
    BackgroundTask task =
        BackgroundTask.named("regions", clock::micros)
            .interval(RECONCILE_INTERVAL)
            .start(() -> Objects.requireNonNull(turn.get()).run());
    return new RegionShareService(rules, link, task);
  }

  /** The rules as this node enforces them. */
  public RegionalRules rules() {
    return rules;
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    if (reconciliation != null) {
      reconciliation.onDecision(request, decision);
    }
  }

  /** Shows what is enforced here; the answer brings the gauges up to date. */
  public Runnable bindMetrics(MeterRegistry registry) {
    MultiGauge shares =
        MultiGauge.builder("weir.region.share")
            .description("What this node's region has of a rule's budget, 1 being all of it")
            .register(registry);
    return () ->
        shares.register(
            rules.shares().entrySet().stream()
                .limit(MAX_GAUGES)
                .map(
                    one ->
                        Row.of(
                            Tags.of("rule", one.getKey(), "region", rules.region()),
                            one.getValue() / 1000.0))
                .toList(),
            true);
  }

  /** What is enforced here and how the other regions stand, all in thousandths, as JSON. */
  public String toJson() {
    Map<String, LedgerSnapshot> tables =
        reconciliation == null ? Map.of() : reconciliation.snapshots();
    List<String> divided = new ArrayList<>();
    rules
        .shares()
        .forEach(
            (id, share) ->
                divided.add(
                    new JsonObjectBuilder()
                        .text("rule", id)
                        .number("share", share)
                        .rawJsonList("regions", regionStates(tables.get(id)))
                        .build()));
    return new JsonObjectBuilder()
        .text("region", rules.region())
        .text(
            "link",
            reconciliation == null
                ? "none"
                : reconciliation.lastError().isEmpty() ? "answers" : reconciliation.lastError())
        .rawJsonList("rules", divided)
        .build();
  }

  private static List<String> regionStates(@Nullable LedgerSnapshot table) {
    List<String> all = new ArrayList<>();
    if (table != null) {
      table
          .regions()
          .forEach(
              (name, one) ->
                  all.add(
                      new JsonObjectBuilder()
                          .text("region", name)
                          .number("share", one.share())
                          .number("held", one.reservedShare())
                          .bool("live", one.live())
                          .number("demand", Math.round(one.demand() * 1000))
                          .build()));
    }
    return all;
  }

  /** Says that this node leaves. */
  @Override
  public void close() {
    if (task != null) {
      task.close();
    }
    if (reconciliation != null) {
      reconciliation.close();
    }
  }
}
