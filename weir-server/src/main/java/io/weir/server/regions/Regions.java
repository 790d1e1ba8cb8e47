package io.weir.server.regions;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.background.BackgroundTask;
import io.weir.redis.RedisLedger;
import io.weir.region.Reconciliation;
import io.weir.region.RegionalRules;
import io.weir.region.Table;
import io.weir.rule.RuleSource;
import io.weir.server.web.JsonFields;
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
public final class Regions implements DecisionListener, AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int MOST_GAUGES = 1000;

  private final RegionalRules rules;
  private final @Nullable Reconciliation link;
  private final @Nullable BackgroundTask task;

  private Regions(
      RegionalRules rules, @Nullable Reconciliation link, @Nullable BackgroundTask task) {
    this.rules = rules;
    this.link = link;
    this.task = task;
  }

  /**
   * Regions that are not linked: shares are as they are written.
   *
   * @param region this node's; empty if it is not said
   */
  public static Regions apart(RuleSource written, String region) {
    return new Regions(new RegionalRules(written, region), null, null);
  }

  /**
   * Regions that divide by demand, through a Redis that all can reach. Waits a moment for it; where
   * it is away shares are as they are written, until it comes.
   *
   * @param prefix what the ledger's keys begin with
   * @param nodes how many nodes share the region's store, this one included
   */
  public static Regions linked(
      RuleSource written, String region, String url, String prefix, IntSupplier nodes) {
    RegionalRules rules = new RegionalRules(written, region);
    Clock clock = Clock.system();
    // kept after it ran: a turn that failed before it asked for the next one is followed by one
    AtomicReference<Runnable> turn = new AtomicReference<>(() -> {});
    Reconciliation link =
        new Reconciliation(
            rules,
            RedisLedger.at(url, prefix),
            clock,
            (micros, next) -> turn.set(next),
            INTERVAL,
            nodes);
    link.start();
    BackgroundTask task =
        BackgroundTask.named("regions", clock::micros)
            .pause(INTERVAL)
            .start(() -> Objects.requireNonNull(turn.get()).run());
    return new Regions(rules, link, task);
  }

  /** The rules as this node enforces them. */
  public RegionalRules rules() {
    return rules;
  }

  @Override
  public void decided(Request request, Decision decision) {
    if (link != null) {
      link.decided(request, decision);
    }
  }

  /** Shows what is enforced here; the answer brings the gauges up to date. */
  public Runnable bind(MeterRegistry registry) {
    MultiGauge shares =
        MultiGauge.builder("weir.region.share")
            .description("What this node's region has of a rule's budget, 1 being all of it")
            .register(registry);
    return () ->
        shares.register(
            rules.shares().entrySet().stream()
                .limit(MOST_GAUGES)
                .map(
                    one ->
                        Row.of(
                            Tags.of("rule", one.getKey(), "region", rules.region()),
                            one.getValue() / 1000.0))
                .toList(),
            true);
  }

  /** What is enforced here and how the other regions stand, all in thousandths, as JSON. */
  public String json() {
    Map<String, Table> tables = link == null ? Map.of() : link.tables();
    List<String> divided = new ArrayList<>();
    rules
        .shares()
        .forEach(
            (id, share) ->
                divided.add(
                    new JsonFields()
                        .text("rule", id)
                        .number("share", share)
                        .list("regions", standings(tables.get(id)))
                        .end()));
    return new JsonFields()
        .text("region", rules.region())
        .text("link", link == null ? "none" : link.trouble().isEmpty() ? "answers" : link.trouble())
        .list("rules", divided)
        .end();
  }

  private static List<String> standings(@Nullable Table table) {
    List<String> all = new ArrayList<>();
    if (table != null) {
      table
          .regions()
          .forEach(
              (name, one) ->
                  all.add(
                      new JsonFields()
                          .text("region", name)
                          .number("share", one.share())
                          .number("held", one.held())
                          .truth("live", one.live())
                          .number("demand", Math.round(one.demand() * 1000))
                          .end()));
    }
    return all;
  }

  /** Says that this node leaves. */
  @Override
  public void close() {
    if (task != null) {
      task.close();
    }
    if (link != null) {
      link.close();
    }
  }
}
