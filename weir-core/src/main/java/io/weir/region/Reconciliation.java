package io.weir.region;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the shares of a region follow demand: every interval it tells a ledger what this node was
 * asked for, and enforces what the ledger then grants.
 *
 * <p>While the ledger is away nothing changes: a region that is cut off keeps its shares, and one
 * that never reached it has those that are written. Let it hear the decisions. Safe for any number
 * of threads.
 */
public final class Reconciliation implements DecisionListener, AutoCloseable {
  private static final Logger LOG = System.getLogger(Reconciliation.class.getName());
  private static final long JOINS_WITHIN_MS = 3000;
  private static final long LEAVES_WITHIN_MS = 500;

  private final RegionalRules rules;
  private final Ledger ledger;
  private final Clock clock;
  private final Alarm alarm;
  private final long interval;
  private final IntSupplier nodes;
  private final Negotiation.Seat seat;
  private final Demand demand = new Demand();
  private final Map<String, Negotiation> negotiations = new ConcurrentHashMap<>();
  private boolean serving;
  private volatile boolean closed;
  private volatile boolean away;

  /**
   * @param rules whose shares are to follow demand
   * @param nodes how many nodes share the region's store, this one included, as far as is known
   */
  public Reconciliation(
      RegionalRules rules,
      Ledger ledger,
      Clock clock,
      Alarm alarm,
      Duration interval,
      IntSupplier nodes) {
    this.rules = rules;
    this.ledger = ledger;
    this.clock = clock;
    this.alarm = alarm;
    this.interval = interval.toNanos() / 1000;
    this.nodes = nodes;
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    seat = new Negotiation.Seat(rules.region(), HexFormat.of().formatHex(id));
  }

  /**
   * Begins; waits a moment for the ledger, so that no share is enforced that the region has not.
   */
  public Reconciliation start() {
    turn(false).completeOnTimeout(null, JOINS_WITHIN_MS, TimeUnit.MILLISECONDS).join();
    serving = true;
    later();
    return this;
  }

  @Override
  public void decided(Request request, Decision decision) {
    demand.decided(request, decision);
  }

  /** What the ledger said last of each divided rule, by its id. */
  public Map<String, Table> tables() {
    Map<String, Table> tables = new TreeMap<>();
    negotiations.forEach(
        (id, negotiation) -> {
          Table table = negotiation.table();
          if (table != null) {
            tables.put(id, table);
          }
        });
    return tables;
  }

  /** Why the ledger could not be asked the last time; empty if it could. */
  public String trouble() {
    return ledger.trouble();
  }

  private void later() {
    alarm.after(
        interval,
        () -> {
          if (!closed) {
            later();
            var unused = turn(false);
          }
        });
  }

  /** Tells and hears of every divided rule; done when all is answered or has failed. */
  private synchronized CompletableFuture<Void> turn(boolean leaving) {
    Map<String, Rule> divided = rules.divided();
    negotiations.entrySet().removeIf(e -> !isInForce(divided.get(e.getKey()), e.getValue()));
    demand.keep(divided);
    long now = clock.micros();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Rule rule : divided.values()) {
      Negotiation negotiation = negotiations.get(rule.id());
      if (negotiation == null) {
        int applied = serving ? rules.shares().getOrDefault(rule.id(), 0) : 0;
        negotiation = new Negotiation(rule, applied, interval, now);
        negotiations.put(rule.id(), negotiation);
      }
      negotiation.count(demand.take(rule.id()), now);
      Report report =
          negotiation.report(seat, serving ? nodes.getAsInt() : Integer.MAX_VALUE, leaving);
      if (report != null) {
        answers.add(exchange(negotiation, report).toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean isInForce(@Nullable Rule rule, Negotiation negotiation) {
    return rule != null && rule.regions().equals(negotiation.rule.percents());
  }

  private CompletionStage<?> exchange(Negotiation negotiation, Report report) {
    CompletionStage<Table> answer;
    try {
      answer = ledger.exchange(report);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (table, failure) -> {
          String id = negotiation.rule.rule();
          if (failure != null) {
            negotiation.unheard(report, rules.shares().getOrDefault(id, 0));
            say(true);
          } else if (!report.leaving()) {
            say(false);
            apply(negotiation.rule, table.share());
            negotiation.heard(table, seat.region());
          }
          return null;
        });
  }

  private void apply(Divided rule, int share) {
    String id = rule.rule();
    int before = rules.shares().getOrDefault(id, share);
    rules.give(rule, share);
    if (before != share) {
      LOG.log(
          Level.INFO,
          "rule {0}: region {1} has {2}% of its budget now, {3}% before",
          id,
          seat.region(),
          share / 10.0,
          before / 10.0);
    }
  }

  /** One line when the ledger is lost, and one when it is back. */
  private void say(boolean lost) {
    if (lost == away || closed) {
      return;
    }
    away = lost;
    if (lost) {
      LOG.log(
          Level.WARNING,
          "the link between regions is away ({0}); this region keeps its shares until it is back",
          ledger.trouble());
    } else {
      LOG.log(Level.INFO, "the link between regions is back");
    }
  }

  /** Says that this node leaves, and closes the ledger. */
  @Override
  public void close() {
    closed = true;
    turn(true).completeOnTimeout(null, LEAVES_WITHIN_MS, TimeUnit.MILLISECONDS).join();
    ledger.close();
  }
}
