package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Scheduler;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The synced counters of one interval, and their reconciling with the shared store.
 *
 * <p>Every interval a pass goes over all counters: what was admitted is reported, what is left is
 * learnt, and counters that are no longer used are dropped. Many counters share a call, and few
 * calls are under way at a time. A pass that takes longer than the interval is finished before the
 * next one begins, so every counter has its turn; {@link #lagMicros} says how late.
 *
 * <p>While the store is away it is asked about one counter only, since what it does not answer it
 * may have charged all the same. Safe for any number of threads.
 */
final class CounterSynchronizer {
  /** As many as the Redis store sends in one script call. */
  private static final int MAX_BATCH_SIZE = 250;

  private static final int MAX_BATCHES_UNDER_WAY = 2;
  private static final int MAX_SCAN = 5_000;

  /** How late an answer may be before the view it corrects counts as too old. */
  private static final long MIN_SLACK_MICROS = 20_000;

  private final long intervalMicros;
  private final Store shared;
  private final SyncContext context;
  private final Map<Long, SyncedCounter> counters = new ConcurrentHashMap<>();
  private volatile boolean isStoreUnavailable;
  private volatile boolean closed;
  private volatile long reportedUntil;
  private CompletableFuture<Void> pass = CompletableFuture.completedFuture(null);

  /** What the rounds of a store share. */
  record SyncContext(
      Clock clock,
      EstimatedStoreClock storeClock,
      Scheduler scheduler,
      SyncedView view,
      StripedLocks locks) {}

  CounterSynchronizer(long interval, Store shared, SyncContext context) {
    this.intervalMicros = interval;
    this.shared = shared;
    this.context = context;
    reportedUntil = context.clock.micros();
    context.scheduler.schedule(interval, this::runScheduled);
  }

  private void runScheduled() {
    if (!closed) {
      context.scheduler.schedule(intervalMicros, this::runScheduled);
      var unused = reconcile();
    }
  }

  /** The counters, by their keys. */
  Map<Long, SyncedCounter> counters() {
    return counters;
  }

  /** For how long the view of a counter may decide without news from the store. */
  long maxViewAgeMicros() {
    return intervalMicros + Math.max(intervalMicros / 2, MIN_SLACK_MICROS);
  }

  /** By how many microseconds the oldest report is later than the interval; 0 if none is. */
  long lagMicros() {
    return Math.max(0, context.clock.micros() - reportedUntil - intervalMicros);
  }

  /** Begins a pass unless one is under way; done when it is over. */
  private synchronized CompletableFuture<Void> reconcile() {
    if (pass.isDone()) {
      SyncPass next = new SyncPass();
      pass = next.done;
      next.start();
    }
    return pass;
  }

  /** Reports all there is, and no more after that; done when the store has answered. */
  synchronized CompletableFuture<Void> close() {
    closed = true;
    return pass.thenCompose(over -> reconcile());
  }

  /** One turn of all counters. */
  private final class SyncPass {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long startedAt = context.clock.micros();
    private final Iterator<SyncedCounter> remaining = counters.values().iterator();
    private int workers = MAX_BATCHES_UNDER_WAY;
    private boolean complete = true;
    private boolean stopped;

    void start() {
      for (int i = MAX_BATCHES_UNDER_WAY; i > 0; i--) {
        sendBatches();
      }
    }

    private void sendBatches() {
      List<SyncReport> reports = nextReports();
      while (!reports.isEmpty()) {
        CompletableFuture<Void> answered = send(reports);
        if (!answered.isDone()) {
          var unused = answered.thenRun(this::sendBatches);
          return;
        }
        reports = nextReports();
      }
      if (hasMore()) { // a long scan without a due counter must not hold up the thread
        context.scheduler.schedule(1, this::sendBatches);
      } else {
        finish();
      }
    }

    private synchronized boolean hasMore() {
      return !stopped && remaining.hasNext();
    }

    private void finish() {
      boolean last;
      synchronized (this) {
        last = --workers == 0;
      }
      if (last) {
        if (complete) {
          reportedUntil = startedAt;
        }
        done.complete(null);
      }
    }

    /** The reports of the counters that are due next; drops those that are idle on the way. */
    private synchronized List<SyncReport> nextReports() {
      List<SyncReport> reports = new ArrayList<>();
      int most = isStoreUnavailable ? 1 : MAX_BATCH_SIZE;
      for (int scanned = 0; scanned < MAX_SCAN && reports.size() < most && hasMore(); scanned++) {
        SyncedCounter tally = remaining.next();
        synchronized (context.locks.lockFor(tally.key)) {
          if (tally.isReportDue()) {
            reports.add(new SyncReport(tally, tally.beginReport()));
          } else if (tally.isIdle(startedAt, maxViewAgeMicros())) {
            counters.remove(tally.key, tally);
          }
        }
      }
      return reports;
    }

    private CompletableFuture<Void> send(List<SyncReport> reports) {
      long sent = context.clock.micros();
      List<CompletableFuture<?>> calls = new ArrayList<>();
      List<SyncReport> questions = new ArrayList<>();
      List<SyncReport.SyncReportEntry> entries = new ArrayList<>();
      for (SyncReport report : reports) {
        if (isStoreUnavailable || report.charges.isEmpty()) {
          questions.add(report);
        }
        for (SyncedCounter.DatedCharge charge : report.charges) {
          entries.add(new SyncReport.SyncReportEntry(report, charge));
        }
      }
      if (isStoreUnavailable) {
        entries.forEach(entry -> entry.report().unanswered.add(entry.charge()));
        complete &= entries.isEmpty();
        entries.clear();
      }
      if (!questions.isEmpty()) {
        calls.add(queryRemaining(questions));
      }
      entries.sort(Comparator.comparingLong(entry -> entry.charge().usedAt()));
      for (int from = 0; from < entries.size(); ) {
        int to = batchEnd(entries, from);
        calls.add(sendCharges(entries.subList(from, to)));
        from = to;
      }
      return CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0]))
          .thenRun(() -> reports.forEach(report -> finishReport(report, sent)));
    }

    /** The end of those that may have the date of the last of them. */
    private int batchEnd(List<SyncReport.SyncReportEntry> entries, int from) {
      long latest = entries.get(from).latestDate();
      int to = from + 1;
      while (to < entries.size()
          && to - from < MAX_BATCH_SIZE
          && entries.get(to).charge().usedAt() <= latest) {
        latest = Math.min(latest, entries.get(to).latestDate());
        to++;
      }
      return to;
    }

    private CompletableFuture<Void> sendCharges(List<SyncReport.SyncReportEntry> batch) {
      Claim[] claims = batch.stream().map(SyncReport.SyncReportEntry::claim).toArray(Claim[]::new);
      long when = batch.get(batch.size() - 1).charge().usedAt();
      return shared
          .apply(claims, StoreOperation.FORCE, when)
          .thenAccept(
              said -> {
                recordAvailability(said);
                for (int i = 0; i < said.length; i++) {
                  batch.get(i).recordAnswer(said[i]);
                }
              });
    }

    private CompletableFuture<Void> queryRemaining(List<SyncReport> questions) {
      Claim[] claims =
          questions.stream()
              .map(report -> new Claim(report.counter.limit(), report.counter.key, 1))
              .toArray(Claim[]::new);
      return shared
          .apply(claims, StoreOperation.PEEK)
          .thenAccept(
              said -> {
                recordAvailability(said);
                for (int i = 0; i < said.length; i++) {
                  questions.get(i).answer = said[i].degraded() ? null : said[i];
                }
              });
    }

    /** Notes whether the store answers. */
    private synchronized void recordAvailability(ClaimOutcome[] said) {
      int degraded = 0;
      for (ClaimOutcome outcome : said) {
        degraded += outcome.degraded() ? 1 : 0;
      }
      complete &= degraded == 0;
      isStoreUnavailable = degraded == said.length;
      stopped |= isStoreUnavailable;
    }

    private void finishReport(SyncReport report, long sent) {
      SyncedCounter tally = report.counter;
      ClaimOutcome said = report.answer;
      List<SyncedCounter.DatedCharge> back;
      if (said != null) {
        context.storeClock.update(said, sent);
      }
      synchronized (context.locks.lockFor(tally.key)) {
        back = tally.endReport(report.unanswered);
        if (said != null) {
          context.view.update(new Claim(tally.limit(), tally.key, 1), said, tally, sent);
        }
      }
      for (SyncedCounter.DatedCharge one : back) {
        Claim[] refund = {new Claim(tally.limit(), tally.key, one.permits())};
        var unused = shared.apply(refund, StoreOperation.REFUND, one.usedAt());
      }
    }
  }
}
