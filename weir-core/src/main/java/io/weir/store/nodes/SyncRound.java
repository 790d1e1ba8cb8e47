package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
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
 * next one begins, so every counter has its turn; {@link #lag} says how late.
 *
 * <p>While the store is away it is asked about one counter only, since what it does not answer it
 * may have charged all the same. Safe for any number of threads.
 */
final class SyncRound {
  /** As many as the Redis store sends in one script call. */
  private static final int MAX_BATCH_SIZE = 250;

  private static final int MAX_BATCHES_UNDER_WAY = 2;
  private static final int MAX_SCAN = 5_000;

  /** How late an answer may be before the view it corrects counts as too old. */
  private static final long MIN_SLACK_MICROS = 20_000;

  private final long interval;
  private final Store shared;
  private final SyncContext context;
  private final Map<Long, Tally> tallies = new ConcurrentHashMap<>();
  private volatile boolean away;
  private volatile boolean closed;
  private volatile long reportedUntil;
  private CompletableFuture<Void> pass = CompletableFuture.completedFuture(null);

  /** What the rounds of a store share. */
  record SyncContext(Clock clock, StoreTime time, Alarm alarm, View view, Locks locks) {}

  SyncRound(long interval, Store shared, SyncContext context) {
    this.interval = interval;
    this.shared = shared;
    this.context = context;
    reportedUntil = context.clock.micros();
    context.alarm.after(interval, this::run);
  }

  private void run() {
    if (!closed) {
      context.alarm.after(interval, this::run);
      var unused = reconcile();
    }
  }

  /** The counters, by their keys. */
  Map<Long, Tally> tallies() {
    return tallies;
  }

  /** For how long the view of a counter may decide without news from the store. */
  long maxAge() {
    return interval + Math.max(interval / 2, MIN_SLACK_MICROS);
  }

  /** By how many microseconds the oldest report is later than the interval; 0 if none is. */
  long lag() {
    return Math.max(0, context.clock.micros() - reportedUntil - interval);
  }

  /** Begins a pass unless one is under way; done when it is over. */
  private synchronized CompletableFuture<Void> reconcile() {
    if (pass.isDone()) {
      Pass next = new Pass();
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
  private final class Pass {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long began = context.clock.micros();
    private final Iterator<Tally> rest = tallies.values().iterator();
    private int workers = MAX_BATCHES_UNDER_WAY;
    private boolean complete = true;
    private boolean stopped;

    void start() {
      for (int i = MAX_BATCHES_UNDER_WAY; i > 0; i--) {
        work();
      }
    }

    private void work() {
      List<SyncReport> reports = next();
      while (!reports.isEmpty()) {
        CompletableFuture<Void> answered = send(reports);
        if (!answered.isDone()) {
          var unused = answered.thenRun(this::work);
          return;
        }
        reports = next();
      }
      if (hasMore()) { // a long scan without a due counter must not hold up the thread
        context.alarm.after(1, this::work);
      } else {
        finish();
      }
    }

    private synchronized boolean hasMore() {
      return !stopped && rest.hasNext();
    }

    private void finish() {
      boolean last;
      synchronized (this) {
        last = --workers == 0;
      }
      if (last) {
        if (complete) {
          reportedUntil = began;
        }
        done.complete(null);
      }
    }

    /** The reports of the counters that are due next; drops those that are idle on the way. */
    private synchronized List<SyncReport> next() {
      List<SyncReport> reports = new ArrayList<>();
      int most = away ? 1 : MAX_BATCH_SIZE;
      for (int scanned = 0; scanned < MAX_SCAN && reports.size() < most && hasMore(); scanned++) {
        Tally tally = rest.next();
        synchronized (context.locks.of(tally.key)) {
          if (tally.isDue()) {
            reports.add(new SyncReport(tally, tally.begin()));
          } else if (tally.isIdle(began, maxAge())) {
            tallies.remove(tally.key, tally);
          }
        }
      }
      return reports;
    }

    private CompletableFuture<Void> send(List<SyncReport> reports) {
      long sent = context.clock.micros();
      List<CompletableFuture<?>> calls = new ArrayList<>();
      List<SyncReport> questions = new ArrayList<>();
      List<SyncReport.Entry> entries = new ArrayList<>();
      for (SyncReport report : reports) {
        if (away || report.charges.isEmpty()) {
          questions.add(report);
        }
        for (Tally.Charge charge : report.charges) {
          entries.add(new SyncReport.Entry(report, charge));
        }
      }
      if (away) {
        entries.forEach(entry -> entry.report().unanswered.add(entry.charge()));
        complete &= entries.isEmpty();
        entries.clear();
      }
      if (!questions.isEmpty()) {
        calls.add(ask(questions));
      }
      entries.sort(Comparator.comparingLong(entry -> entry.charge().when()));
      for (int from = 0; from < entries.size(); ) {
        int to = endOfBatch(entries, from);
        calls.add(tell(entries.subList(from, to)));
        from = to;
      }
      return CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0]))
          .thenRun(() -> reports.forEach(report -> end(report, sent)));
    }

    /** The end of those that may have the date of the last of them. */
    private int endOfBatch(List<SyncReport.Entry> entries, int from) {
      long latest = entries.get(from).latest();
      int to = from + 1;
      while (to < entries.size()
          && to - from < MAX_BATCH_SIZE
          && entries.get(to).charge().when() <= latest) {
        latest = Math.min(latest, entries.get(to).latest());
        to++;
      }
      return to;
    }

    private CompletableFuture<Void> tell(List<SyncReport.Entry> batch) {
      Claim[] claims = batch.stream().map(SyncReport.Entry::claim).toArray(Claim[]::new);
      long when = batch.get(batch.size() - 1).charge().when();
      return shared
          .take(claims, Mode.FORCE, when)
          .thenAccept(
              said -> {
                heard(said);
                for (int i = 0; i < said.length; i++) {
                  batch.get(i).answered(said[i]);
                }
              });
    }

    private CompletableFuture<Void> ask(List<SyncReport> questions) {
      Claim[] claims =
          questions.stream()
              .map(report -> new Claim(report.tally.limit(), report.tally.key, 1))
              .toArray(Claim[]::new);
      return shared
          .take(claims, Mode.PEEK)
          .thenAccept(
              said -> {
                heard(said);
                for (int i = 0; i < said.length; i++) {
                  questions.get(i).said = said[i].degraded() ? null : said[i];
                }
              });
    }

    /** Notes whether the store answers. */
    private synchronized void heard(Outcome[] said) {
      int degraded = 0;
      for (Outcome outcome : said) {
        degraded += outcome.degraded() ? 1 : 0;
      }
      complete &= degraded == 0;
      away = degraded == said.length;
      stopped |= away;
    }

    private void end(SyncReport report, long sent) {
      Tally tally = report.tally;
      Outcome said = report.said;
      List<Tally.Charge> back;
      if (said != null) {
        context.time.heard(said, sent);
      }
      synchronized (context.locks.of(tally.key)) {
        back = tally.end(report.unanswered);
        if (said != null) {
          context.view.learn(new Claim(tally.limit(), tally.key, 1), said, tally, sent);
        }
      }
      for (Tally.Charge one : back) {
        Claim[] refund = {new Claim(tally.limit(), tally.key, one.permits())};
        var unused = shared.take(refund, Mode.REFUND, one.when());
      }
    }
  }
}
