package io.weir.lab.world;

import io.weir.internal.rule.Fingerprint;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Simulated nodes that share a store over a network, on one timeline. Not thread-safe. */
public final class SimulatedCluster {
  /** The start time, 1999-12-31T00:00Z, which is aligned to every window. */
  public static final long START_MICROS = 946_598_400_000_000L;

  private static final double PARTS_PER_MILLION = 1e6;

  private final Timeline timeline = new Timeline(START_MICROS);
  private final Random random;
  private final Fingerprint fingerprint;
  private final SimulatedStoreServer storeServer = new SimulatedStoreServer(timeline);
  private final List<SimulatedNode> nodes = new ArrayList<>();

  /** Creates a cluster whose behavior is determined by the seed. */
  public SimulatedCluster(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    fingerprint = new Fingerprint(random.nextLong(), random.nextLong());
  }

  /** Clock error, deadline and spike threshold of a node. */
  public record SimulatedNodeOptions(
      long clockOffsetMicros, double driftPpm, Duration deadline, Duration spikeThreshold) {
    /** A correct clock and a deadline of 50 ms. */
    public static final SimulatedNodeOptions DEFAULTS =
        new SimulatedNodeOptions(0, 0, Duration.ofMillis(50), Duration.ZERO);
  }

  /** Adds a node. */
  public SimulatedNode addNode(
      RuleSource rules, SimulatedNodeOptions options, NetworkConditions conditions) {
    Clock clock =
        () -> {
          long elapsed = timeline.micros() - START_MICROS;
          return timeline.micros()
              + options.clockOffsetMicros
              + (long) (elapsed * options.driftPpm / PARTS_PER_MILLION);
        };
    SimulatedLink link =
        new SimulatedLink(timeline, random, storeServer, fingerprint, clock, conditions);
    SimulatedNode node =
        new SimulatedNode(rules, clock, timeline, link, options.deadline, options.spikeThreshold);
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
