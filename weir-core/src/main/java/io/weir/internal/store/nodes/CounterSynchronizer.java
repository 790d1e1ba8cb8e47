package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.Scheduler;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Synchronizes the synced counters of one interval with the shared store.
 *
 * <p>In every interval a pass iterates over all counters: it reports the admitted permits, updates
 * the views with what is left, and removes counters that are no longer used. One call contains many
 * counters, and few calls are pending at a time. A pass that takes longer than the interval is
 * finished before the next one begins, so that every counter is synced; {@link #lagMicros} is the
 * delay.
 *
 * <p>While the store is unavailable only one counter is queried, since the store may charge reports
 * that it does not answer. Safe for any number of threads.
 */
final class CounterSynchronizer {
  /** Equal to the number of claims that the Redis store sends in one script call. */
  private static final int MAX_BATCH_SIZE = 250;

  private static final int MAX_BATCHES_UNDER_WAY = 2;
  private static final int MAX_SCAN = 5_000;

  /** By how much the sync may be late before the views are too old to decide. */
  private static final long MIN_SLACK_MICROS = 20_000;

  private final long intervalMicros;
  private final ClaimStore shared;
  private final SyncContext context;
  private final Map<Long, SyncedCounter> counters = new ConcurrentHashMap<>();
  private volatile boolean isStoreUnavailable;
  private volatile boolean closed;
  private volatile long reportedUntil;
  private CompletableFuture<Void> pass = CompletableFuture.completedFuture(null);

  /** The collaborators shared by the synchronizers of a store. */
  record SyncContext(
      Clock clock,
      EstimatedStoreClock storeClock,
      Scheduler scheduler,
      SyncedView view,
      StripedLocks locks) {}

  CounterSynchronizer(long interval, ClaimStore shared, SyncContext context) {
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

  /** How old the view of a counter may be to decide. */
  long maxViewAgeMicros() {
    return intervalMicros + Math.max(intervalMicros / 2, MIN_SLACK_MICROS);
  }

  /** By how many microseconds the oldest report is later than the interval; 0 if it is not. */
  long lagMicros() {
    return Math.max(0, context.clock.micros() - reportedUntil - intervalMicros);
  }

  /** Starts a pass unless one is running; completes when it is finished. */
  private synchronized CompletableFuture<Void> reconcile() {
    if (pass.isDone()) {
      SyncPass next = new SyncPass();
      pass = next.done;
      next.start();
    }
    return pass;
  }

  /** Reports everything and stops; completes when the store has answered. */
  synchronized CompletableFuture<Void> close() {
    closed = true;
    return pass.thenCompose(finished -> reconcile());
  }

  /** One pass over all counters. */
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
      if (hasMore()) { // a long scan without a due counter must not block the thread
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

    /** The reports of the next counters that are due; removes idle counters on the way. */
    private synchronized List<SyncReport> nextReports() {
      List<SyncReport> reports = new ArrayList<>();
      int batchSize = isStoreUnavailable ? 1 : MAX_BATCH_SIZE;
      for (int scanned = 0;
          scanned < MAX_SCAN && reports.size() < batchSize && hasMore();
          scanned++) {
        SyncedCounter counter = remaining.next();
        synchronized (context.locks.lockFor(counter.key)) {
          if (counter.isReportDue()) {
            reports.add(new SyncReport(counter, counter.beginReport()));
          } else if (counter.isIdle(startedAt, maxViewAgeMicros())) {
            counters.remove(counter.key, counter);
          }
        }
      }
      return reports;
    }

    private CompletableFuture<Void> send(List<SyncReport> reports) {
      long sent = context.clock.micros();
      List<CompletableFuture<?>> calls = new ArrayList<>();
      List<SyncReport> queries = new ArrayList<>();
      List<SyncReport.SyncReportEntry> entries = new ArrayList<>();
      for (SyncReport report : reports) {
        if (isStoreUnavailable || report.charges.isEmpty()) {
          queries.add(report);
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
      if (!queries.isEmpty()) {
        calls.add(queryRemaining(queries));
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

    /** The end of the batch of entries that can be charged with the date of the last of them. */
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
              answers -> {
                recordAvailability(answers);
                for (int i = 0; i < answers.length; i++) {
                  batch.get(i).recordAnswer(answers[i]);
                }
              });
    }

    private CompletableFuture<Void> queryRemaining(List<SyncReport> queries) {
      Claim[] claims =
          queries.stream()
              .map(report -> new Claim(report.counter.limit(), report.counter.key, 1))
              .toArray(Claim[]::new);
      return shared
          .apply(claims, StoreOperation.PEEK)
          .thenAccept(
              answers -> {
                recordAvailability(answers);
                for (int i = 0; i < answers.length; i++) {
                  queries.get(i).answer = answers[i].degraded() ? null : answers[i];
                }
              });
    }

    /** Records whether the store answers. */
    private synchronized void recordAvailability(ClaimOutcome[] answers) {
      int degraded = 0;
      for (ClaimOutcome outcome : answers) {
        degraded += outcome.degraded() ? 1 : 0;
      }
      complete &= degraded == 0;
      isStoreUnavailable = degraded == answers.length;
      stopped |= isStoreUnavailable;
    }

    private void finishReport(SyncReport report, long sent) {
      SyncedCounter counter = report.counter;
      ClaimOutcome answer = report.answer;
      List<SyncedCounter.DatedCharge> canceled;
      if (answer != null) {
        context.storeClock.update(answer, sent);
      }
      synchronized (context.locks.lockFor(counter.key)) {
        canceled = counter.endReport(report.unanswered);
        if (answer != null) {
          context.view.update(new Claim(counter.limit(), counter.key, 1), answer, counter, sent);
        }
      }
      for (SyncedCounter.DatedCharge one : canceled) {
        Claim[] refund = {new Claim(counter.limit(), counter.key, one.permits())};
        var unused = shared.apply(refund, StoreOperation.REFUND, one.usedAt());
      }
    }
  }
}
