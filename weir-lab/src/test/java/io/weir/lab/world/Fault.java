package io.weir.lab.world;

import java.util.List;
import java.util.Random;

/**
 * Something that goes wrong for a while.
 *
 * @param node whose wire it is, where it is one's; -1 for all
 * @param amount how bad it is, from 0 to 1
 */
record Fault(Kind kind, long from, long lasts, int node, double amount) {

  enum Kind {
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

  private static final List<Kind> ONCE =
      List.of(Kind.CLOCK_BACK, Kind.CLOCK_FORWARD, Kind.NODE_DEATH);
  static final long CLOCK_STEP = 5_000_000;

  static Fault of(Random random, long earliest, long over) {
    Kind kind = Kind.values()[random.nextInt(Kind.values().length - ONCE.size())];
    long from = Scenario.between(random, earliest, over - 10_000);
    long lasts = Scenario.between(random, 5_000, over - from);
    return new Fault(kind, from, lasts, random.nextInt(6) - 1, random.nextDouble());
  }

  /** One of those of which a scenario has one at most. */
  static Fault once(Random random, long earliest, long over) {
    Kind kind = ONCE.get(random.nextInt(ONCE.size()));
    return new Fault(kind, Scenario.between(random, earliest, over), 0, random.nextInt(6), 0);
  }

  void happen(World world) {
    StoreServer server = world.server();
    switch (kind) {
      case FREEZE -> server.freeze(lasts);
      case RESTART -> server.restart(lasts);
      case CLOCK_BACK -> server.setClock(-CLOCK_STEP);
      case CLOCK_FORWARD -> server.setClock(CLOCK_STEP);
      case NODE_DEATH -> {
        if (world.nodes().size() > 1) {
          world.nodes().get(node % world.nodes().size()).kill();
        }
      }
      case SLOW_STORE -> {
        server.take((long) (amount * 2_000));
        world.time().after(lasts, () -> server.take(0));
      }
      default -> wires(world).forEach(wire -> happen(wire, world.time()));
    }
  }

  private List<Wire> wires(World world) {
    return node < 0
        ? world.nodes().stream().map(Node::wire).toList()
        : List.of(world.nodes().get(node % world.nodes().size()).wire());
  }

  private void happen(Wire wire, Timeline time) {
    Weather before = wire.weather();
    switch (kind) {
      case CUT_SILENT -> wire.cut(Wire.Cut.SILENT, lasts);
      case CUT_REFUSED -> wire.cut(Wire.Cut.REFUSED, lasts);
      case CUT_HELD -> wire.cut(Wire.Cut.HELD, lasts);
      case LOSS -> {
        wire.weather(before.losing(amount / 2));
        time.after(lasts, () -> wire.weather(wire.weather().losing(0)));
      }
      default -> {
        long slower = (long) (amount * 60_000);
        wire.weather(before.slower(slower));
        time.after(lasts, () -> wire.weather(wire.weather().slower(-slower)));
      }
    }
  }
}
