package io.weir.lab.world;

import java.util.List;
import java.util.Random;

/**
 * A fault that lasts for a while.
 *
 * @param node the node whose link is affected, for faults of links; -1 for all
 * @param severity the severity, from 0 to 1
 */
record SimulatedFault(
    FaultKind kind, long startMicros, long durationMicros, int node, double severity) {

  enum FaultKind {
    CUT_SILENT,
    CUT_REFUSED,
    CUT_HELD,
    LOSS,
    SLOW_WIRE,
    SLOW_STORE,
    FREEZE,
    RESTART,
    CLOCK_BACK,
    CLOCK_FORWARD,
    NODE_DEATH
  }

  private static final List<FaultKind> ONE_TIME_FAULTS =
      List.of(FaultKind.CLOCK_BACK, FaultKind.CLOCK_FORWARD, FaultKind.NODE_DEATH);
  static final long CLOCK_STEP_MICROS = 5_000_000;

  static SimulatedFault randomFault(Random random, long earliest, long over) {
    FaultKind kind =
        FaultKind.values()[random.nextInt(FaultKind.values().length - ONE_TIME_FAULTS.size())];
    long from = SimulationScenario.randomBetween(random, earliest, over - 10_000);
    long lasts = SimulationScenario.randomBetween(random, 5_000, over - from);
    return new SimulatedFault(kind, from, lasts, random.nextInt(6) - 1, random.nextDouble());
  }

  /** Returns a random fault of the kinds that occur at most once per scenario. */
  static SimulatedFault randomOneTimeFault(Random random, long earliest, long over) {
    FaultKind kind = ONE_TIME_FAULTS.get(random.nextInt(ONE_TIME_FAULTS.size()));
    return new SimulatedFault(
        kind, SimulationScenario.randomBetween(random, earliest, over), 0, random.nextInt(6), 0);
  }

  void inject(SimulatedCluster world) {
    SimulatedStoreServer server = world.storeServer();
    switch (kind) {
      case FREEZE -> server.freeze(durationMicros);
      case RESTART -> server.restart(durationMicros);
      case CLOCK_BACK -> server.adjustClock(-CLOCK_STEP_MICROS);
      case CLOCK_FORWARD -> server.adjustClock(CLOCK_STEP_MICROS);
      case NODE_DEATH -> {
        if (world.nodes().size() > 1) {
          world.nodes().get(node % world.nodes().size()).kill();
        }
      }
      case SLOW_STORE -> {
        server.setServiceMicros((long) (severity * 2_000));
        world.timeline().schedule(durationMicros, () -> server.setServiceMicros(0));
      }
      default -> affectedLinks(world).forEach(wire -> inject(wire, world.timeline()));
    }
  }

  private List<SimulatedLink> affectedLinks(SimulatedCluster world) {
    return node < 0
        ? world.nodes().stream().map(SimulatedNode::link).toList()
        : List.of(world.nodes().get(node % world.nodes().size()).link());
  }

  private void inject(SimulatedLink wire, Timeline time) {
    NetworkConditions conditions = wire.conditions();
    switch (kind) {
      case CUT_SILENT -> wire.startOutage(SimulatedLink.LinkOutage.SILENT, durationMicros);
      case CUT_REFUSED -> wire.startOutage(SimulatedLink.LinkOutage.REFUSED, durationMicros);
      case CUT_HELD -> wire.startOutage(SimulatedLink.LinkOutage.HELD, durationMicros);
      case LOSS -> {
        wire.conditions(conditions.withLossRate(severity / 2));
        time.schedule(durationMicros, () -> wire.conditions(wire.conditions().withLossRate(0)));
      }
      default -> {
        long slower = (long) (severity * 60_000);
        wire.conditions(conditions.withExtraDelay(slower));
        time.schedule(
            durationMicros, () -> wire.conditions(wire.conditions().withExtraDelay(-slower)));
      }
    }
  }
}
