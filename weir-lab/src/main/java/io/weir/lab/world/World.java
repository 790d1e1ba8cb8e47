package io.weir.lab.world;

import io.weir.rule.Fingerprint;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Nodes that share a store, over a network, under one timeline. Not thread-safe. */
public final class World {
  /** When it begins: the second millennium's last day, which every window divides. */
  public static final long START = 946_598_400_000_000L;

  private static final double MILLION = 1e6;

  private final Timeline time = new Timeline(START);
  private final Random random;
  private final Fingerprint fingerprint;
  private final StoreServer server = new StoreServer(time);
  private final List<Node> nodes = new ArrayList<>();

  /** A world in which everything follows from the seed. */
  public World(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    fingerprint = new Fingerprint(random.nextLong(), random.nextLong());
  }

  /** How a node is made. */
  public record Traits(long ahead, double driftPpm, Duration deadline, Duration spike) {
    /** A clock that is right, and a patience that ends late. */
    public static final Traits PLAIN = new Traits(0, 0, Duration.ofMillis(50), Duration.ZERO);
  }

  /** Adds a node. */
  public Node add(RuleSource rules, Traits traits, Weather weather) {
    Clock clock =
        () -> {
          long passed = time.micros() - START;
          return time.micros() + traits.ahead + (long) (passed * traits.driftPpm / MILLION);
        };
    Wire wire = new Wire(time, random, server, fingerprint, clock, weather);
    Node node = new Node(rules, clock, time, wire, traits.deadline, traits.spike);
    nodes.add(node);
    return node;
  }

  public Timeline time() {
    return time;
  }

  public Random random() {
    return random;
  }

  public StoreServer server() {
    return server;
  }

  public List<Node> nodes() {
    return nodes;
  }
}
