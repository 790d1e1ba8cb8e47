package io.weir.region;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.Scheduler;
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
public final class ShareRebalancer implements DecisionListener, AutoCloseable {
  private static final Logger LOG = System.getLogger(ShareRebalancer.class.getName());
  private static final long JOIN_TIMEOUT_MILLIS = 3000;
  private static final long LEAVE_TIMEOUT_MILLIS = 500;

  private final RegionalRules rules;
  private final RegionLedger ledger;
  private final Clock clock;
  private final Scheduler scheduler;
  private final long intervalMicros;
  private final IntSupplier nodeCount;
  private final ShareNegotiation.NodeIdentity identity;
  private final DemandMeter demandMeter = new DemandMeter();
  private final Map<String, ShareNegotiation> negotiations = new ConcurrentHashMap<>();
  private boolean started;
  private volatile boolean closed;
  private volatile boolean ledgerUnavailable;

  /**
   * @param rules whose shares are to follow demand
   * @param nodes how many nodes share the region's store, this one included, as far as is known
   */
  public ShareRebalancer(
      RegionalRules rules,
      RegionLedger ledger,
      Clock clock,
      Scheduler alarm,
      Duration interval,
      IntSupplier nodes) {
    this.rules = rules;
    this.ledger = ledger;
    this.clock = clock;
    this.scheduler = alarm;
    this.intervalMicros = interval.toNanos() / 1000;
    this.nodeCount = nodes;
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    identity = new ShareNegotiation.NodeIdentity(rules.region(), HexFormat.of().formatHex(id));
  }

  /**
   * Begins; waits a moment for the ledger, so that no share is enforced that the region has not.
   */
  public ShareRebalancer start() {
    runRound(false).completeOnTimeout(null, JOIN_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
    started = true;
    scheduleNextRound();
    return this;
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    demandMeter.onDecision(request, decision);
  }

  /** What the ledger said last of each divided rule, by its id. */
  public Map<String, LedgerSnapshot> snapshots() {
    Map<String, LedgerSnapshot> tables = new TreeMap<>();
    negotiations.forEach(
        (id, negotiation) -> {
          LedgerSnapshot table = negotiation.snapshot();
          if (table != null) {
            tables.put(id, table);
          }
        });
    return tables;
  }

  /** Why the ledger could not be asked the last time; empty if it could. */
  public String lastError() {
    return ledger.lastError();
  }

  private void scheduleNextRound() {
    scheduler.schedule(
        intervalMicros,
        () -> {
          if (!closed) {
            scheduleNextRound();
            var unused = runRound(false);
          }
        });
  }

  /** Tells and hears of every divided rule; done when all is answered or has failed. */
  private synchronized CompletableFuture<Void> runRound(boolean leaving) {
    Map<String, Rule> divided = rules.dividedRules();
    negotiations.entrySet().removeIf(e -> !isInForce(divided.get(e.getKey()), e.getValue()));
    demandMeter.retainRules(divided);
    long now = clock.micros();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Rule rule : divided.values()) {
      ShareNegotiation negotiation = negotiations.get(rule.id());
      if (negotiation == null) {
        int applied = started ? rules.shares().getOrDefault(rule.id(), 0) : 0;
        negotiation = new ShareNegotiation(rule, applied, intervalMicros, now);
        negotiations.put(rule.id(), negotiation);
      }
      negotiation.addSample(demandMeter.takeSample(rule.id()), now);
      RegionReport report =
          negotiation.nextReport(
              identity, started ? nodeCount.getAsInt() : Integer.MAX_VALUE, leaving);
      if (report != null) {
        answers.add(exchange(negotiation, report).toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean isInForce(@Nullable Rule rule, ShareNegotiation negotiation) {
    return rule != null && rule.regions().equals(negotiation.budget.percents());
  }

  private CompletionStage<?> exchange(ShareNegotiation negotiation, RegionReport report) {
    CompletionStage<LedgerSnapshot> answer;
    try {
      answer = ledger.exchange(report);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (table, failure) -> {
          String id = negotiation.budget.ruleId();
          if (failure != null) {
            negotiation.onReportFailure(report, rules.shares().getOrDefault(id, 0));
            logAvailabilityChange(true);
          } else if (!report.leaving()) {
            logAvailabilityChange(false);
            applyShare(negotiation.budget, table.share());
            negotiation.onSnapshot(table, identity.region());
          }
          return null;
        });
  }

  private void applyShare(DividedBudget rule, int share) {
    String id = rule.ruleId();
    int before = rules.shares().getOrDefault(id, share);
    rules.assignShare(rule, share);
    if (before != share) {
      LOG.log(
          Level.INFO,
          "rule {0}: region {1} has {2}% of its budget now, {3}% before",
          id,
          identity.region(),
          share / 10.0,
          before / 10.0);
    }
  }

  /** One line when the ledger is lost, and one when it is back. */
  private void logAvailabilityChange(boolean lost) {
    if (lost == ledgerUnavailable || closed) {
      return;
    }
    ledgerUnavailable = lost;
    if (lost) {
      LOG.log(
          Level.WARNING,
          "the link between regions is away ({0}); this region keeps its shares until it is back",
          ledger.lastError());
    } else {
      LOG.log(Level.INFO, "the link between regions is back");
    }
  }

  /** Says that this node leaves, and closes the ledger. */
  @Override
  public void close() {
    closed = true;
    runRound(true).completeOnTimeout(null, LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
    ledger.close();
  }
}
