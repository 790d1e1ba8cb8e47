package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.region.LedgerSnapshot;
import io.weir.internal.region.RegionLedger;
import io.weir.internal.region.RegionReport;
import io.weir.internal.region.RegionalRules;
import io.weir.internal.region.ShareRebalancer;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Simulates regions with several nodes under one test clock, with a ledger in a real Redis. After
 * every step, the permits admitted by all regions are checked against the whole limit.
 */
final class SimulatedRegions implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofSeconds(2);
  static final Duration STEP = Duration.ofMillis(100);

  /** How long a store still counts a node that crashed. */
  private static final long DEAD_NODE_COUNTED_MICROS = 8_000_000;

  final FakeClock clock = new FakeClock();
  final Map<String, SimulatedRegion> regions = new TreeMap<>();
  private final Rule rule;
  private final String ledgerUri;
  private final String prefix;
  private final long permits;
  private final long period;
  private final Deque<long[]> admissions = new ArrayDeque<>();
  private double level;
  private long steps;

  SimulatedRegions(String ledgerUri, String prefix, Rule rule) {
    this.ledgerUri = ledgerUri;
    this.prefix = prefix;
    this.rule = rule;
    permits = CompiledRule.of(rule).limits().get(0).configuredParameters().permits();
    period = CompiledRule.of(rule).limits().get(0).configuredParameters().periodMicros();
    rule.regions().keySet().forEach(name -> regions.put(name, new SimulatedRegion(name)));
  }

  /** A region: a store and the nodes that share it. */
  final class SimulatedRegion {
    final String name;
    final MemoryStore store = new MemoryStore(clock);
    final List<SimulatedRegionNode> nodes = new ArrayList<>();
    final List<Long> deathTimes = new ArrayList<>();
    boolean disconnected;

    SimulatedRegion(String name) {
      this.name = name;
      nodes.add(new SimulatedRegionNode(this));
    }

    /** Returns how many nodes the store counts. */
    int knownNodes() {
      return nodes.size()
          + (int)
              deathTimes.stream()
                  .filter(deathTime -> clock.micros() - deathTime < DEAD_NODE_COUNTED_MICROS)
                  .count();
    }

    /** Returns the largest share that one of its nodes enforces. */
    int largestShare() {
      return nodes.stream().mapToInt(SimulatedRegionNode::share).max().orElse(0);
    }

    /** Takes permits from all nodes in turn; returns how many were admitted. */
    long take(long count, long cost) {
      long admitted = 0;
      for (long i = 0; i < count && !nodes.isEmpty(); i++) {
        SimulatedRegionNode node = nodes.get((int) ((steps + i) % nodes.size()));
        admitted += node.limiter.decideNow(Request.of("k", "v").cost(cost)).allowed() ? cost : 0;
      }
      return admitted;
    }
  }

  /** A node of a region. */
  final class SimulatedRegionNode implements RegionLedger {
    final RegionalRules rules;
    final ShareRebalancer rebalancer;
    final Limiter limiter;
    boolean disconnected;
    private final SimulatedRegion region;
    private final RedisRegionLedger ledger = RedisRegionLedger.at(ledgerUri, prefix, clock);
    private Runnable task = () -> {};
    private long dueMicros;

    SimulatedRegionNode(SimulatedRegion place) {
      this.region = place;
      rules = new RegionalRules(RuleSet.of(rule), place.name);
      rebalancer =
          new ShareRebalancer(
              rules,
              this,
              clock,
              (micros, next) -> {
                dueMicros = clock.micros() + micros;
                task = next;
              },
              INTERVAL,
              place::knownNodes);
      limiter = Weir.limiter(rules).store(place.store).clock(clock).listener(rebalancer).build();
      rebalancer.start();
    }

    int share() {
      return rules.shares().getOrDefault(rule.id(), -1);
    }

    void runIfDue() {
      if (clock.micros() >= dueMicros) {
        task.run();
      }
    }

    /** Ends the node without deregistering it. */
    void crash() {
      region.nodes.remove(this);
      region.deathTimes.add(clock.micros());
      ledger.close();
    }

    void leave() {
      region.nodes.remove(this);
      rebalancer.close();
    }

    @Override
    public CompletionStage<LedgerSnapshot> exchange(RegionReport report) {
      return disconnected || region.disconnected
          ? CompletableFuture.failedFuture(new IllegalStateException("cut off"))
          : CompletableFuture.completedFuture(ledger.exchange(report).toCompletableFuture().join());
    }

    @Override
    public String lastError() {
      return disconnected ? "cut off" : ledger.lastError();
    }

    @Override
    public void close() {
      ledger.close();
    }
  }

  SimulatedRegion region(String region) {
    return Objects.requireNonNull(regions.get(region));
  }

  /** Returns the largest share that one of a region's nodes enforces. */
  int largestShare(String region) {
    return region(region).largestShare();
  }

  /** Advances time while regions demand multiples of the whole limit, and checks the bound. */
  void run(Duration time, Map<String, Double> demands) {
    for (long end = clock.micros() + time.toNanos() / 1000; clock.micros() < end; ) {
      step(demands);
    }
  }

  void step(Map<String, Double> demands) {
    steps++;
    clock.advance(STEP);
    long cost = Math.max(1, permits / 200);
    long admitted = 0;
    for (SimulatedRegion region : regions.values()) {
      region.nodes.forEach(SimulatedRegionNode::runIfDue);
      double requestsPerStep =
          demands.getOrDefault(region.name, 0.0) * permits * STEP.toNanos() / 1000 / period / cost;
      long count = (long) (requestsPerStep * steps) - (long) (requestsPerStep * (steps - 1));
      admitted += region.take(count, cost);
    }
    checkBound(admitted);
  }

  private void checkBound(long admitted) {
    int shares = regions.values().stream().mapToInt(SimulatedRegion::largestShare).sum();
    assertThat(shares).as("shares of %s", this).isLessThanOrEqualTo(1000);
    long now = clock.micros();
    admissions.addLast(new long[] {now, admitted});
    String algorithm = rule.algorithm();
    switch (algorithm) {
      case "token-bucket", "leaky-bucket" -> {
        long size = CompiledRule.of(rule).limits().get(0).configuredParameters().burst();
        level = Math.max(0, level - (double) permits * STEP.toNanos() / 1000 / period) + admitted;
        assertThat(level).as("used of the whole bucket, %s", this).isLessThanOrEqualTo(size + 1e-3);
      }
      case "fixed-window" -> checkWindow(now - now % period);
      case "sliding-log" -> checkWindow(now - period + 1);
      default -> admissions.clear(); // only the sum of the shares is checked, above
    }
  }

  private void checkWindow(long since) {
    while (admissions.getFirst()[0] < since) {
      admissions.removeFirst();
    }
    assertThat(admissions.stream().mapToLong(a -> a[1]).sum())
        .as("admitted in a window, %s", this)
        .isLessThanOrEqualTo(permits);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(prefix + " at step " + steps + " of " + rule);
    regions
        .values()
        .forEach(p -> text.append(", ").append(p.name).append('=').append(p.largestShare()));
    return text.toString();
  }

  @Override
  public void close() {
    regions
        .values()
        .forEach(region -> List.copyOf(region.nodes).forEach(SimulatedRegionNode::leave));
  }
}
