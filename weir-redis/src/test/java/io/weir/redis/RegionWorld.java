package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.region.Ledger;
import io.weir.region.Reconciliation;
import io.weir.region.RegionalRules;
import io.weir.region.Report;
import io.weir.region.Table;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.MemoryStore;
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
 * Regions of several nodes under one clock that a test turns, with a ledger in a real Redis. What
 * they admit together is held against the whole limit after every step.
 */
final class RegionWorld implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofSeconds(2);
  static final Duration STEP = Duration.ofMillis(100);

  /** For how long a store still counts a node that died. */
  private static final long MISSED = 8_000_000;

  final FakeClock clock = new FakeClock();
  final Map<String, Place> places = new TreeMap<>();
  private final Rule rule;
  private final String link;
  private final String prefix;
  private final long permits;
  private final long period;
  private final Deque<long[]> admissions = new ArrayDeque<>();
  private double level;
  private long steps;

  RegionWorld(String link, String prefix, Rule rule) {
    this.link = link;
    this.prefix = prefix;
    this.rule = rule;
    permits = rule.limits().get(0).whole().permits();
    period = rule.limits().get(0).whole().period();
    rule.regions().keySet().forEach(name -> places.put(name, new Place(name)));
  }

  /** A region: a store, and the nodes that share it. */
  final class Place {
    final String name;
    final MemoryStore store = new MemoryStore(clock);
    final List<Node> nodes = new ArrayList<>();
    final List<Long> deaths = new ArrayList<>();
    boolean cut;

    Place(String name) {
      this.name = name;
      nodes.add(new Node(this));
    }

    /** How many nodes the store knows of. */
    int known() {
      return nodes.size()
          + (int) deaths.stream().filter(died -> clock.micros() - died < MISSED).count();
    }

    /** The largest share one of its nodes enforces. */
    int share() {
      return nodes.stream().mapToInt(Node::share).max().orElse(0);
    }

    /** Asks for so many permits, in turn of all nodes; how many were admitted. */
    long ask(long count, long cost) {
      long admitted = 0;
      for (long i = 0; i < count && !nodes.isEmpty(); i++) {
        Node node = nodes.get((int) ((steps + i) % nodes.size()));
        admitted += node.limiter.decideNow(Request.of("k", "v").cost(cost)).allowed() ? cost : 0;
      }
      return admitted;
    }
  }

  /** A node of a region. */
  final class Node implements Ledger {
    final RegionalRules rules;
    final Reconciliation reconciliation;
    final Limiter limiter;
    boolean cut;
    private final Place place;
    private final RedisLedger ledger = RedisLedger.at(link, prefix, clock);
    private Runnable task = () -> {};
    private long due;

    Node(Place place) {
      this.place = place;
      rules = new RegionalRules(RuleSet.of(rule), place.name);
      reconciliation =
          new Reconciliation(
              rules,
              this,
              clock,
              (micros, next) -> {
                due = clock.micros() + micros;
                task = next;
              },
              INTERVAL,
              place::known);
      limiter =
          Weir.limiter(rules).store(place.store).clock(clock).listener(reconciliation).build();
      reconciliation.start();
    }

    int share() {
      return rules.shares().getOrDefault(rule.id(), -1);
    }

    void tick() {
      if (clock.micros() >= due) {
        task.run();
      }
    }

    /** Ends without a word. */
    void die() {
      place.nodes.remove(this);
      place.deaths.add(clock.micros());
      ledger.close();
    }

    void leave() {
      place.nodes.remove(this);
      reconciliation.close();
    }

    @Override
    public CompletionStage<Table> exchange(Report report) {
      return cut || place.cut
          ? CompletableFuture.failedFuture(new IllegalStateException("cut off"))
          : CompletableFuture.completedFuture(ledger.exchange(report).toCompletableFuture().join());
    }

    @Override
    public String trouble() {
      return cut ? "cut off" : ledger.trouble();
    }

    @Override
    public void close() {
      ledger.close();
    }
  }

  Place place(String region) {
    return Objects.requireNonNull(places.get(region));
  }

  /** The largest share one of a region's nodes enforces. */
  int share(String region) {
    return place(region).share();
  }

  /** Lets time pass while regions ask for multiples of the whole limit, and checks the bound. */
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
    for (Place place : places.values()) {
      place.nodes.forEach(Node::tick);
      double asked =
          demands.getOrDefault(place.name, 0.0) * permits * STEP.toNanos() / 1000 / period / cost;
      long count = (long) (asked * steps) - (long) (asked * (steps - 1));
      admitted += place.ask(count, cost);
    }
    judge(admitted);
  }

  private void judge(long admitted) {
    int shares = places.values().stream().mapToInt(Place::share).sum();
    assertThat(shares).as("shares of %s", this).isLessThanOrEqualTo(1000);
    long now = clock.micros();
    admissions.addLast(new long[] {now, admitted});
    String algorithm = rule.algorithm().name();
    switch (algorithm) {
      case "token-bucket", "leaky-bucket" -> {
        long size = rule.limits().get(0).whole().burst();
        level = Math.max(0, level - (double) permits * STEP.toNanos() / 1000 / period) + admitted;
        assertThat(level).as("used of the whole bucket, %s", this).isLessThanOrEqualTo(size + 1e-3);
      }
      case "fixed-window" -> within(now - now % period);
      case "sliding-log" -> within(now - period + 1);
      default -> admissions.clear(); // its shares are judged, as above
    }
  }

  private void within(long since) {
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
    places.values().forEach(p -> text.append(", ").append(p.name).append('=').append(p.share()));
    return text.toString();
  }

  @Override
  public void close() {
    places.values().forEach(place -> List.copyOf(place.nodes).forEach(Node::leave));
  }
}
