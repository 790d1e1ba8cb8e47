package io.weir.lab.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.nodes.HeldSlots;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * In-flight limits under node deaths, stalls, outages, lost, late and reordered messages. At each
 * admission, the slots that nodes with a valid lease really hold are within the limit.
 */
class InFlightSimulationTest {
  private static final int SEEDS = Integer.getInteger("weir.inFlightSeeds", 1500);
  private static final long FIRST_SEED = Long.getLong("weir.seed", 0);
  private static final int NODES = 3;
  private static final int LIMIT = 5;
  private static final int REQUESTS = 400;
  private static final long SECOND = 1_000_000;
  private static final long DURATION_MICROS = 30 * SECOND;

  private final RuleSet rules =
      RuleSet.of(
          Rule.named("shared")
              .per("user")
              .inFlight(LIMIT)
              .onStoreFailure(StoreFailureFallback.CLOSED)
              .build());

  /** What a run has seen; {@code full} are refusals by the store. */
  private record RunSummary(int admitted, int full, int lapsed) {}

  @Test
  void faultsOfAllKinds_neverMoreAdmittedThanTheLimit_andAllSlotsFreeAfterwards() {
    int admitted = 0;
    int full = 0;
    int lapsed = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      RunSummary run = new SlotRun(seed).run();
      admitted += run.admitted;
      full += run.full;
      lapsed += run.lapsed;
    }
    assertThat(admitted).isGreaterThan(20 * SEEDS);
    assertThat(full).isGreaterThan(20 * SEEDS);
    assertThat(lapsed).as("leases of living nodes that have ended").isGreaterThan(SEEDS / 10);
  }

  /** One run of a cluster with random requests and faults. */
  private final class SlotRun {
    private final long seed;
    private final SimulatedCluster world;
    private final Random random;
    private final Map<HeldSlots, Map<Long, Long>> announcedAt = new HashMap<>();
    private final Map<HeldSlots, Map<Long, Long>> latestSequence = new HashMap<>();
    private final List<Map<String, Integer>> held = new ArrayList<>();
    private final Map<Long, String> users = new HashMap<>();
    private final List<Limiter.Permit> permits = new ArrayList<>();
    private int admitted;
    private int full;
    private int lapsed;

    SlotRun(long seed) {
      this.seed = seed;
      world = new SimulatedCluster(seed);
      random = world.random();
      for (int i = 0; i < NODES; i++) {
        world.addNode(
            rules,
            SimulatedCluster.SimulatedNodeOptions.DEFAULTS,
            new NetworkConditions(100, 300, 20_000, random.nextInt(4) == 0 ? 0.02 : 0));
        held.add(new HashMap<>());
      }
      world.storeServer().setSlotListener(this::check);
    }

    RunSummary run() {
      for (int i = 0; i < REQUESTS; i++) {
        schedule(() -> acquire(random.nextInt(NODES), random.nextInt(5) == 0 ? "b" : "a"));
      }
      for (int i = random.nextInt(8); i > 0; i--) {
        schedule(this::injectFault);
      }
      world.timeline().runUntil(SimulatedCluster.START_MICROS + DURATION_MICROS + 10 * SECOND);
      permits.forEach(Limiter.Permit::close);
      world.timeline().runUntil(SimulatedCluster.START_MICROS + DURATION_MICROS + 20 * SECOND);
      SimulatedNode survivor =
          world.nodes().stream().filter(node -> !node.isDead()).findFirst().orElseThrow();
      survivor.link().conditions(NetworkConditions.IDEAL);
      for (String user : List.of("a", "b")) {
        Decision decision = peek(survivor, user);
        for (int tries = 1; decision.degraded() && tries < 20; tries++) {
          decision = peek(survivor, user); // a few calls linger on the way
        }
        assertThat(decision.degraded()).as("seed %s", seed).isFalse();
        assertThat(decision.remaining()).as("seed %s", seed).isEqualTo(LIMIT);
      }
      world.nodes().forEach(node -> node.limiter().close()); // its timer would keep the world
      return new RunSummary(admitted, full, lapsed);
    }

    private Decision peek(SimulatedNode node, String user) {
      List<Decision> decisions = new ArrayList<>();
      var unused = node.limiter().peek(Request.of("user", user)).thenAccept(decisions::add);
      world.timeline().runUntil(world.timeline().micros() + SECOND);
      assertThat(decisions).as("seed %s", seed).hasSize(1);
      return decisions.get(0);
    }

    private void schedule(Runnable action) {
      world
          .timeline()
          .scheduleAt(
              SimulatedCluster.START_MICROS + (long) (random.nextDouble() * DURATION_MICROS),
              action);
    }

    private void acquire(int index, String user) {
      SimulatedNode node = world.nodes().get(index);
      if (node.isDead() || node.isStalled()) {
        return;
      }
      var unused =
          node.limiter()
              .acquireAsync(Request.of("user", user))
              .thenAccept(
                  permit -> {
                    if (permit.isHeld()) {
                      permits.add(permit);
                      held.get(index).merge(user, 1, Integer::sum);
                      long time = 10_000 + (long) (random.nextDouble() * 2 * SECOND);
                      long longTime = random.nextInt(10) == 0 ? 12 * SECOND : 0;
                      world
                          .timeline()
                          .schedule(time + longTime, () -> release(index, user, permit));
                    }
                  });
    }

    private void release(int index, String user, Limiter.Permit permit) {
      SimulatedNode node = world.nodes().get(index);
      if (node.isDead()) {
        return;
      }
      if (node.isStalled()) {
        world.timeline().schedule(10_000, () -> release(index, user, permit));
        return;
      }
      held.get(index).merge(user, -1, Integer::sum);
      permit.close();
    }

    private void injectFault() {
      SimulatedNode node = world.nodes().get(random.nextInt(NODES));
      long micros = 1 + (long) (random.nextDouble() * random.nextDouble() * 12 * SECOND);
      switch (random.nextInt(6)) {
        case 0 -> node.stall(micros);
        case 1 -> node.link().startOutage(SimulatedLink.LinkOutage.SILENT, micros);
        case 2 -> node.link().startOutage(SimulatedLink.LinkOutage.REFUSED, micros);
        case 3 -> node.link().startOutage(SimulatedLink.LinkOutage.HELD, micros);
        case 4 -> world.storeServer().freeze(micros / 3);
        default -> {
          if (node != world.nodes().get(0)) {
            node.kill();
          }
        }
      }
    }

    /** Called in the store, at each decision on slots. */
    private void check(SlotCall call, ClaimOutcome[] outcomes, long now) {
      for (int i = 0; i < outcomes.length; i++) {
        long key = call.decision().claims()[i].key();
        if (recordAnnouncement(call, i, key, now)
            && call.decision().operation() == StoreOperation.TAKE) {
          full += outcomes[i].charged() ? 0 : 1;
          if (outcomes[i].charged()) {
            admitted++;
            assertThat(countRunning(key, now) + 1)
                .as("seed %s: running at %s", seed, now)
                .isLessThanOrEqualTo(LIMIT);
          }
        }
      }
    }

    /** Returns false for an outdated call, which says nothing about what the node holds now. */
    private boolean recordAnnouncement(SlotCall call, int claim, long key, long now) {
      Map<Long, Long> sequences =
          latestSequence.computeIfAbsent(call.holder(), holder -> new HashMap<>());
      if (sequences.getOrDefault(key, 0L) > call.sequence()) {
        return false;
      }
      sequences.put(key, call.sequence());
      Long before =
          announcedAt.computeIfAbsent(call.holder(), holder -> new HashMap<>()).put(key, now);
      if (before != null && call.held(claim) > 0 && !isValid(call.holder(), before, now)) {
        lapsed++;
      }
      return true;
    }

    /** Returns how many requests really hold a slot on nodes with a valid lease. */
    private int countRunning(long key, long now) {
      int running = 0;
      for (int i = 0; i < NODES; i++) {
        HeldSlots holder = world.nodes().get(i).link().slots();
        Long last = announcedAt.getOrDefault(holder, Map.of()).get(key);
        if (last != null && isValid(holder, last, now)) {
          running += held.get(i).getOrDefault(user(key), 0);
        }
      }
      return running;
    }

    private boolean isValid(HeldSlots holder, long announced, long now) {
      return now < announced + holder.leaseMicros();
    }

    /** The user of a key: that of the rule's claims for each user. */
    private String user(long key) {
      if (users.isEmpty()) {
        for (String user : List.of("a", "b")) {
          var claims =
              io.weir.internal.rule.CompiledRuleSet.of(rules)
                  .claims(Request.of("user", user), world.nodes().get(0).link().fingerprint(), 1);
          users.put(claims[0].key(), user);
        }
      }
      return users.getOrDefault(key, "");
    }
  }
}
