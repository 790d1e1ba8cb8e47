package io.weir.internal.region;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.internal.store.Scheduler;
import io.weir.rule.Rule;
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
 * Rebalances the shares of a region by demand: at every interval it reports the demand on this node
 * to a ledger and applies the shares that the ledger grants.
 *
 * <p>While the ledger is unavailable, shares do not change: a region that is cut off keeps its
 * shares, and one that has never reached the ledger uses the configured ones. Must be registered as
 * a decision listener. Thread-safe.
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
   * @param rules the rules whose shares follow demand
   * @param nodes returns the known number of nodes that use the store of the region, including this
   *     one
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
   * Starts; waits up to 3 seconds for the ledger, to avoid enforcing a share the region does not
   * have.
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

  /** Returns the last reply of the ledger for each divided rule, by rule id. */
  public Map<String, LedgerSnapshot> snapshots() {
    Map<String, LedgerSnapshot> snapshots = new TreeMap<>();
    negotiations.forEach(
        (id, negotiation) -> {
          LedgerSnapshot snapshot = negotiation.snapshot();
          if (snapshot != null) {
            snapshots.put(id, snapshot);
          }
        });
    return snapshots;
  }

  /** Returns the error of the last call of the ledger; empty if it succeeded. */
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

  /** Reports every divided rule; completes when all reports are answered or have failed. */
  private synchronized CompletableFuture<Void> runRound(boolean leaving) {
    Map<String, Rule> divided = rules.dividedRules();
    negotiations.entrySet().removeIf(e -> !isInForce(divided.get(e.getKey()), e.getValue()));
    demandMeter.retainRules(divided);
    long now = clock.micros();
    List<CompletableFuture<?>> replies = new ArrayList<>();
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
        replies.add(exchange(negotiation, report).toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean isInForce(@Nullable Rule rule, ShareNegotiation negotiation) {
    return rule != null && rule.regions().equals(negotiation.budget.percents());
  }

  private CompletionStage<?> exchange(ShareNegotiation negotiation, RegionReport report) {
    CompletionStage<LedgerSnapshot> reply;
    try {
      reply = ledger.exchange(report);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply.handle(
        (snapshot, failure) -> {
          String id = negotiation.budget.ruleId();
          if (failure != null) {
            negotiation.onReportFailure(report, rules.shares().getOrDefault(id, 0));
            logAvailabilityChange(true);
          } else if (!report.leaving()) {
            logAvailabilityChange(false);
            applyShare(negotiation.budget, snapshot.share());
            negotiation.onSnapshot(snapshot, identity.region());
          }
          return null;
        });
  }

  private void applyShare(RegionalBudget rule, int share) {
    String id = rule.ruleId();
    int before = rules.shares().getOrDefault(id, share);
    rules.assignShare(rule, share);
    if (before != share) {
      LOG.log(
          Level.INFO,
          "rule {0}: share of region {1} is now {2}% (was {3}%)",
          id,
          identity.region(),
          share / 10.0,
          before / 10.0);
    }
  }

  /** Logs when the ledger becomes unavailable and when it is available again. */
  private void logAvailabilityChange(boolean unavailable) {
    if (unavailable == ledgerUnavailable || closed) {
      return;
    }
    ledgerUnavailable = unavailable;
    if (unavailable) {
      LOG.log(
          Level.WARNING,
          "the region ledger is unavailable ({0}); this region keeps its shares meanwhile",
          ledger.lastError());
    } else {
      LOG.log(Level.INFO, "the region ledger is available again");
    }
  }

  /** Reports that this node leaves, and closes the ledger. */
  @Override
  public void close() {
    closed = true;
    runRound(true).completeOnTimeout(null, LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
    ledger.close();
  }
}
