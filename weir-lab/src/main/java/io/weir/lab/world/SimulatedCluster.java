package io.weir.lab.world;

import io.weir.rule.Fingerprint;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Nodes that share a store, over a network, under one timeline. Not thread-safe. */
public final class SimulatedCluster {
  /** When it begins: the second millennium's last day, which every window divides. */
  public static final long START_MICROS = 946_598_400_000_000L;

  private static final double PARTS_PER_MILLION = 1e6;

  private final Timeline timeline = new Timeline(START_MICROS);
  private final Random random;
  private final Fingerprint fingerprint;
  private final SimulatedStoreServer storeServer = new SimulatedStoreServer(timeline);
  private final List<SimulatedNode> nodes = new ArrayList<>();

  /** A world in which everything follows from the seed. */
  public SimulatedCluster(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    fingerprint = new Fingerprint(random.nextLong(), random.nextLong());
  }

  /** How a node is made. */
  public record SimulatedNodeOptions(
      long clockOffsetMicros, double driftPpm, Duration deadline, Duration spikeThreshold) {
    /** A clock that is right, and a patience that ends late. */
    public static final SimulatedNodeOptions DEFAULTS =
        new SimulatedNodeOptions(0, 0, Duration.ofMillis(50), Duration.ZERO);
  }

  /** Adds a node. */
  public SimulatedNode addNode(
      RuleSource rules, SimulatedNodeOptions traits, NetworkConditions weather) {
    Clock clock =
        () -> {
          long passed = timeline.micros() - START_MICROS;
          return timeline.micros()
              + traits.clockOffsetMicros
              + (long) (passed * traits.driftPpm / PARTS_PER_MILLION);
        };
    SimulatedLink wire =
        new SimulatedLink(timeline, random, storeServer, fingerprint, clock, weather);
    SimulatedNode node =
        new SimulatedNode(rules, clock, timeline, wire, traits.deadline, traits.spikeThreshold);
    nodes.add(node);
    return node;
  }

  public Timeline timeline() {
    return timeline;
  }

  public Random random() {
    return random;
  }

  public SimulatedStoreServer storeServer() {
    return storeServer;
  }

  public List<SimulatedNode> nodes() {
    return nodes;
  }
}
