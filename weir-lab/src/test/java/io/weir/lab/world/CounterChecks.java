package io.weir.lab.world;

import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.nodes.OvershootBound;
import io.weir.lab.world.CounterHistory.CounterAdmission;
import io.weir.rule.Consistency.CountingMode;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** Checks each counter against the bound of its rule's consistency mode. */
final class CounterChecks {
  private static final long LEASE_LIFETIME_MICROS = 100_000;

  private final SimulationRun run;
  private final SimulationScenario scenario;
  private final SimulationJournal journal;

  CounterChecks(SimulationRun run) {
    this.run = run;
    scenario = run.scenario;
    journal = run.journal;
  }

  void check(CounterHistory counter) {
    switch (counter.countingMode()) {
      case EXACT -> checkExact(counter);
      case LEASED -> checkLeased(counter);
      case SYNCED -> checkSynced(counter);
      case LOCAL -> checkLocal(counter);
    }
    checkLocalShares(counter);
  }

  private void checkExact(CounterHistory counter) {
    List<AdmissionBounds.PermitUse> uses = usesByStoreTime(counter.chargedAdmissions());
    if (scenario.hasFault(SimulatedFault.FaultKind.CLOCK_BACK) && hasTrailingBound(counter.limit)) {
      checkBound(
          counter,
          sortedUses(counter.chargedAdmissions(), CounterAdmission::trueMicros),
          scenario.deadlineMicros(),
          0);
    } else {
      checkBound(counter, uses, 0, 0);
    }
    if (!scenario.hasFault(
        SimulatedFault.FaultKind
            .CLOCK_BACK)) { // permits that refilled before the step are lost without requests
      checkAgainstSingleStore(counter, uses);
    }
  }

  private static boolean hasTrailingBound(Limit limit) {
    return limit.windowModel() == WindowModel.CONTINUOUS
        || limit.windowModel() == WindowModel.TRAILING;
  }

  /** Checks that a single store with the same requests would have admitted them too. */
  private void checkAgainstSingleStore(
      CounterHistory counter, List<AdmissionBounds.PermitUse> uses) {
    long[] now = {0};
    MemoryStore single = new MemoryStore(() -> now[0], 1 << 20);
    for (AdmissionBounds.PermitUse use : uses) {
      now[0] = use.timeMicros();
      if (!applyTo(single, counter, use.permits(), StoreOperation.TAKE).admitted()) {
        addViolation(counter, "a single store would have refused " + use.permits() + " permits");
        return;
      }
    }
  }

  /** Permits are charged when they are leased; the bound applies to when they are spent. */
  private void checkLeased(CounterHistory counter) {
    Limit limit = counter.limit;
    if (hasTrailingBound(limit)) {
      boolean log =
          limit.windowModel() != WindowModel.CONTINUOUS; // its spent permits may be reported late
      long slack = log && !scenario.faults().isEmpty() ? LEASE_LIFETIME_MICROS : 0;
      long over = scenario.hasFault(SimulatedFault.FaultKind.CLOCK_FORWARD) ? limit.capacity() : 0;
      List<AdmissionBounds.PermitUse> uses =
          sortedUses(counter.chargedAdmissions(), CounterAdmission::trueMicros);
      checkBound(counter, uses, slack + scenario.deadlineMicros(), over);
      return;
    }
    checkBound(counter, usesByStoreTime(counter.chargedAdmissions()), 0, 0);
    for (CounterAdmission a : counter.chargedAdmissions()) {
      if (a.immediate()
          && clockStepMicros() == 0
          && !limit.isSameWindow(a.clockMicros(), a.trueMicros())) {
        addViolation(
            counter,
            "a lease outlived its window, at " + SimulationInvariants.relativeTime(a.trueMicros()));
      }
    }
  }

  /** Returns by how much the store's clock was changed. */
  private long clockStepMicros() {
    return scenario.hasFault(SimulatedFault.FaultKind.CLOCK_BACK)
        ? -SimulatedFault.CLOCK_STEP_MICROS
        : scenario.hasFault(SimulatedFault.FaultKind.CLOCK_FORWARD)
            ? SimulatedFault.CLOCK_STEP_MICROS
            : 0;
  }

  /** Returns the uses in the order of the store's decisions; its clock may have been changed. */
  private List<AdmissionBounds.PermitUse> usesByStoreTime(List<CounterAdmission> some) {
    return some.stream()
        .sorted(
            Comparator.comparing(
                    (CounterAdmission a) -> CounterHistory.isAfterClockStep(a, clockStepMicros()))
                .thenComparingLong(CounterAdmission::clockMicros))
        .map(a -> new AdmissionBounds.PermitUse(a.clockMicros(), a.cost()))
        .toList();
  }

  /**
   * Checks the upper bound for every trailing period, which holds under all faults: each node
   * admits at most what it may admit alone, that is a bucket plus its refill, or two windows. If
   * the store's clock is changed, one more limit is allowed.
   */
  private void checkTrailingPeriods(CounterHistory counter) {
    Limit limit = counter.limit;
    LimitParameters t = limit.parameters();
    long again = limit.windowModel() == WindowModel.CONTINUOUS ? t.permits() : limit.capacity();
    long late =
        (long) Math.ceil((double) t.permits() * scenario.deadlineMicros() / t.periodMicros());
    long each = limit.capacity() + again + late + (clockStepMicros() == 0 ? 0 : limit.capacity());
    long sum =
        AdmissionBounds.maxInTrailingPeriod(
            sortedUses(counter.chargedAdmissions(), CounterAdmission::trueMicros),
            t.periodMicros());
    if (sum > each * scenario.nodes().size()) {
      addViolation(
          counter, sum + " permits were admitted in a period, more than " + each + " per node");
    }
  }

  private void checkSynced(CounterHistory counter) {
    checkTrailingPeriods(counter);
    if (counter.chargedAdmissions().stream()
        .anyMatch(
            a -> Math.abs(a.clockMicros() - a.trueMicros()) > 2 * scenario.deadlineMicros())) {
      return; // a node started while the store was unavailable and had no store time
    }
    checkEachNode(counter, CounterAdmission::clockMicros);
    if (!scenario.hasFault(SimulatedFault.FaultKind.NODE_DEATH)) {
      checkNothingLost(counter);
    }
    if (scenario.faults().isEmpty()) {
      checkChargedWindows(counter);
    }
    Limit limit = counter.limit;
    int nodes = scenario.nodes().size();
    long over = OvershootBound.of(limit, nodes);
    if (limit.windowModel() != WindowModel.CONTINUOUS) {
      checkBound(
          counter, sortedUses(counter.chargedAdmissions(), CounterAdmission::clockMicros), 0, over);
    } else if (scenario.faults().isEmpty()) {
      double perMicro = (double) limit.parameters().permits() / limit.parameters().periodMicros();
      long interval = limit.rule().consistency().syncInterval().toNanos() / 1000;
      double late = (nodes - 1) * 4.0 * scenario.network().maxDelayMicros();
      double wrong = nodes * (scenario.network().maxDelayMicros() + interval / 1000.0);
      long answers = (long) Math.ceil(perMicro * (late + wrong));
      List<AdmissionBounds.PermitUse> uses =
          sortedUses(counter.chargedAdmissions(), CounterAdmission::trueMicros);
      long excess =
          AdmissionBounds.bucketExcess(limit, uses, Math.max(interval, (long) fillMicros(limit)));
      if (excess > over + answers) {
        addViolation(counter, excess + " permits too many were admitted, allowed are " + over);
      }
    }
  }

  private void checkLocal(CounterHistory counter) {
    checkEachNode(counter, CounterAdmission::clockMicros);
  }

  /** Checks that each node alone keeps the limit. */
  private void checkEachNode(CounterHistory counter, ToLongFunction<CounterAdmission> when) {
    Map<Integer, List<CounterAdmission>> byNode = new HashMap<>();
    for (CounterAdmission a : counter.chargedAdmissions()) {
      byNode.computeIfAbsent(a.node(), n -> new ArrayList<>()).add(a);
    }
    // permits taken and refunded a moment later have drained meanwhile
    long slack = scenario.rules().size() > 1 ? scenario.deadlineMicros() : 0;
    long part = (long) (fillMicros(counter.limit) / counter.limit.capacity() / 20);
    boolean bucket = counter.limit.windowModel() == WindowModel.CONTINUOUS;
    byNode
        .values()
        .forEach(some -> checkBound(counter, sortedUses(some, when), bucket ? slack + part : 0, 0));
  }

  private void checkBound(
      CounterHistory counter, List<AdmissionBounds.PermitUse> uses, long slack, long over) {
    long excess = AdmissionBounds.excess(counter.limit, uses, slack);
    if (excess > over) {
      addViolation(counter, excess + " permits too many were admitted, allowed are " + over);
    }
  }

  /** Checks admissions while the store was unavailable against each node's local share. */
  private void checkLocalShares(CounterHistory counter) {
    Limit share = counter.limit.localFallback();
    if (share == null
        || (counter.countingMode() == CountingMode.EXACT && scenario.toleratesSpikes())) {
      return;
    }
    Map<Integer, List<CounterAdmission>> byNode = new HashMap<>();
    for (CounterAdmission a : counter.admissions) {
      if (a.degraded()) {
        byNode.computeIfAbsent(a.node(), n -> new ArrayList<>()).add(a);
      }
    }
    byNode
        .values()
        .forEach(
            some -> {
              long excess =
                  AdmissionBounds.excess(share, sortedUses(some, CounterAdmission::clockMicros), 0);
              if (excess > 0) {
                addViolation(counter, "a node admitted " + excess + " permits more than its share");
              }
            });
  }

  /**
   * Checks that the store counts all admitted permits until they expire. It never counts more than
   * twice the limit, so some may be lost if more was reported, as after faults.
   */
  private void checkNothingLost(CounterHistory counter) {
    long now = run.cluster.timeline().micros();
    Limit limit = counter.limit;
    long recently = now - 2 * limit.parameters().periodMicros() - (long) (2 * fillMicros(limit));
    long reported =
        counter.storeCharges.stream()
            .filter(s -> s.trueMicros() > recently && s.permits() > 0)
            .mapToLong(CounterHistory.StoreCharge::permits)
            .sum();
    if (!scenario.faults().isEmpty() && reported > 2 * limit.capacity()) {
      return;
    }
    long[] clock = {0};
    MemoryStore single = new MemoryStore(() -> clock[0], 1 << 20);
    for (AdmissionBounds.PermitUse use :
        sortedUses(counter.chargedAdmissions(), CounterAdmission::trueMicros)) {
      clock[0] = use.timeMicros() - scenario.deadlineMicros();
      applyTo(single, counter, use.permits(), StoreOperation.FORCE);
    }
    clock[0] = now;
    long expected = applyTo(single, counter, 1, StoreOperation.PEEK).remaining();
    long actual =
        applyTo(run.cluster.storeServer().counters(), counter, 1, StoreOperation.PEEK).remaining();
    if (actual > expected) {
      addViolation(
          counter, "the store has " + actual + " permits left, expected at most " + expected);
    }
  }

  private static double fillMicros(Limit limit) {
    return (double) limit.capacity()
        * limit.parameters().periodMicros()
        / limit.parameters().permits();
  }

  /** Checks, without faults, that each window is charged exactly what was admitted in it. */
  private void checkChargedWindows(CounterHistory counter) {
    Map<Long, Long> uncharged = new TreeMap<>();
    for (CounterAdmission a : counter.chargedAdmissions()) {
      uncharged.merge(windowStart(counter, a.clockMicros()), a.cost(), Long::sum);
    }
    for (CounterHistory.StoreCharge s : counter.storeCharges) {
      uncharged.merge(windowStart(counter, s.effectiveMicros()), -s.permits(), Long::sum);
    }
    long every = counter.limit.rule().consistency().syncInterval().toNanos() / 1000;
    boolean remembered =
        every + scenario.deadlineMicros() <= counter.limit.parameters().periodMicros();
    uncharged.forEach(
        (window, permits) -> {
          if (remembered ? permits != 0 : permits < 0) {
            addViolation(
                counter,
                permits
                    + " permits are not charged in the window in which they were used, at "
                    + SimulationInvariants.relativeTime(window));
          }
        });
  }

  private static long windowStart(CounterHistory counter, long time) {
    return counter.limit.windowModel() == WindowModel.CONTINUOUS
        ? SimulatedCluster.START_MICROS
        : counter.limit.parameters().windowStart(time);
  }

  private static List<AdmissionBounds.PermitUse> sortedUses(
      List<CounterAdmission> some, ToLongFunction<CounterAdmission> when) {
    return some.stream()
        .map(a -> new AdmissionBounds.PermitUse(when.applyAsLong(a), a.cost()))
        .sorted(Comparator.comparingLong(AdmissionBounds.PermitUse::timeMicros))
        .toList();
  }

  private static ClaimOutcome applyTo(
      ClaimStore store, CounterHistory counter, long cost, StoreOperation mode) {
    Claim[] claim = {new Claim(counter.limit, counter.key, cost)};
    return store.apply(claim, mode).join()[0];
  }

  private void addViolation(CounterHistory counter, String violation) {
    Limit limit = counter.limit;
    journal.addViolation(
        String.format(
            "%s %s %s of %d (%d nodes, every %s): %s",
            counter.countingMode(),
            limit.algorithm().name(),
            limit.rate(),
            limit.capacity(),
            scenario.nodes().size(),
            limit.rule().consistency().syncInterval(),
            violation));
  }
}
