package io.weir.admin.regions;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.internal.JsonObjectBuilder;
import io.weir.internal.background.BackgroundTask;
import io.weir.internal.region.LedgerSnapshot;
import io.weir.internal.region.RegionalRules;
import io.weir.internal.region.ShareRebalancer;
import io.weir.redis.RedisRegionLedger;
import io.weir.rule.RuleSource;
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
 * Applies this region's shares of the rules that are divided between regions. If the regions are
 * linked through a Redis, the shares follow demand; otherwise they are as configured.
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
      RegionalRules rules,
      @Nullable ShareRebalancer reconciliation,
      @Nullable BackgroundTask task) {
    this.rules = rules;
    this.reconciliation = reconciliation;
    this.task = task;
  }

  /**
   * Creates a service for regions that are not linked: the shares are as configured.
   *
   * @param region the region of this node; empty if not configured
   */
  public static RegionShareService unlinked(RuleSource configured, String region) {
    return new RegionShareService(new RegionalRules(configured, region), null, null);
  }

  /**
   * Creates a service for regions that divide budgets by demand, through a Redis that all regions
   * can reach. Waits briefly for this Redis. While it is unavailable, the shares are as configured.
   *
   * @param prefix the prefix of the region ledger's keys
   * @param nodes the number of nodes that share the region's store, including this one
   */
  public static RegionShareService linked(
      RuleSource configured, String region, String url, String prefix, IntSupplier nodes) {
    RegionalRules rules = new RegionalRules(configured, region);
    Clock clock = Clock.system();
    // Kept after it ran, so that a round that fails before scheduling the next one is repeated.
    AtomicReference<Runnable> nextRound = new AtomicReference<>(() -> {});
    ShareRebalancer reconciliation =
        new ShareRebalancer(
            rules,
            RedisRegionLedger.at(url, prefix),
            clock,
            (micros, next) -> nextRound.set(next),
            RECONCILE_INTERVAL,
            nodes);
    reconciliation.start();
    BackgroundTask task =
        BackgroundTask.named("regions", clock::micros)
            .interval(RECONCILE_INTERVAL)
            .start(() -> Objects.requireNonNull(nextRound.get()).run());
    return new RegionShareService(rules, reconciliation, task);
  }

  /** The rules with the limits that this node enforces. */
  public RegionalRules rules() {
    return rules;
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    if (reconciliation != null) {
      reconciliation.onDecision(request, decision);
    }
  }

  /** Registers gauges of the enforced shares; running the result updates them. */
  public Runnable bindMetrics(MeterRegistry registry) {
    MultiGauge shares =
        MultiGauge.builder("weir.region.share")
            .description("Share of a rule's budget that this node's region has, from 0 to 1")
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

  /** Returns the enforced shares and the state of all regions as JSON, in thousandths. */
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
    List<String> states = new ArrayList<>();
    if (table != null) {
      table
          .regions()
          .forEach(
              (name, one) ->
                  states.add(
                      new JsonObjectBuilder()
                          .text("region", name)
                          .number("share", one.share())
                          .number("held", one.reservedShare())
                          .bool("live", one.live())
                          .number("demand", Math.round(one.demand() * 1000))
                          .build()));
    }
    return states;
  }

  /** Stops reconciliation and announces that this node leaves. */
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
