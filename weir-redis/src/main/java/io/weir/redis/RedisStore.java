package io.weir.redis;

import io.weir.background.TaskMonitor;
import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import io.weir.store.Guard;
import io.weir.store.Health;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import io.weir.store.nodes.Refusals;
import io.weir.store.nodes.RoutedStore;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counters in Redis or Valkey: any number of nodes, one budget, decided inside the server by its
 * own clock.
 *
 * <p>All claims of a request are one round trip, all or nothing. In a Cluster that holds for claims
 * that count per the same attributes; those that do not may be on other slots, which are asked at
 * the same time, and what one of them took is given back when another refuses.
 *
 * <p>It starts without a server, and outlives one: what is not answered by the deadline is answered
 * by the rule's posture. Safe for any number of threads.
 *
 * <pre>{@code
 * Store store = RedisStore.at("redis://127.0.0.1:6379").open();
 * Limiter limiter = Weir.limiter(rules).store(store).build();
 * }</pre>
 */
public final class RedisStore implements Store {
  private static final long TICK_MS = 500;
  private static final long PATIENCE_MS = 3000;
  private static final long MICROS_PER_MILLI = 1000;

  private final Link link;
  private final Presence presence;
  private final Guard guard;
  private final Refusals refusals;
  private final RoutedStore routed;
  private final Lane.Shared shared;
  private final String prefix;
  private final AtomicLong corrupt = new AtomicLong();
  private volatile Shelves shelves;

  private RedisStore(Builder settings) {
    Address address = Address.parse(settings.url);
    Clock storeClock = settings.storeClock;
    Clock clock = storeClock == null ? Clock.system() : storeClock;
    prefix = settings.prefix;
    Clock timer = Clock.system();
    refusals = new Refusals(clock);
    boolean cluster = address.kind() == Address.Kind.CLUSTER;
    Setup setup = Setup.random(cluster ? settings.shelves : 1, settings.pages);
    Handshake handshake = new Handshake(address, prefix, setup, this::join);
    presence = new Presence(prefix);
    link = new Link(address, handshake, presence, Clock.wall(), settings.deadline);
    TaskMonitor ticks = link.onDemand("store-deadlines");
    Alarm deadlines = (micros, task) -> link.replyLoops().after(micros, () -> ticks.run(task::run));
    guard = new Guard(timer, settings.deadline, settings.maxWaiting, settings.listener, deadlines);
    shared =
        new Lane.Shared(
            link,
            timer,
            clock,
            storeClock,
            settings.maxInFlight,
            new AtomicInteger(),
            refusals,
            states -> {
              corrupt.addAndGet(states);
              guard.corrupt(states);
            },
            new ConcurrentLinkedQueue<>());
    shelves = new Shelves(setup, prefix, guard, shared);
    Alarm alarm = (micros, task) -> link.later(Math.max(1, micros / MICROS_PER_MILLI), task);
    routed = new RoutedStore(new Exact(), guard, alarm, settings.spike);
  }

  /**
   * Begins a store at {@code redis://[user:password@]host:port[/database]}, {@code
   * redis-sentinel://host:port,host:port/master} or {@code redis-cluster://host:port,host:port};
   * with {@code rediss} for {@code redis} over TLS.
   *
   * @throws IllegalArgumentException saying what is wrong with the address
   */
  public static Builder at(String url) {
    Address.parse(url);
    return new Builder(url);
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    return routed.take(claims, mode, when);
  }

  /** Has the server decide, unless it is known what it would say. */
  private final class Exact implements Store {
    @Override
    public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
      if (claims.length == 0) {
        return CompletableFuture.completedFuture(new Outcome[0]);
      }
      if (mode == Mode.TAKE) {
        Outcome[] known = refusals.recall(claims);
        if (known != null) {
          return CompletableFuture.completedFuture(known);
        }
      } else if (mode == Mode.REFUND) {
        return lift(claims, shelves.take(claims, mode, when));
      }
      return shelves.take(claims, mode, when);
    }

    /** Lets those who were refused ask again once something was given back. */
    private CompletableFuture<Outcome[]> lift(Claim[] claims, CompletableFuture<Outcome[]> refund) {
      refusals.forget(claims);
      return refund.thenApply(
          outcomes -> {
            refusals.forget(claims);
            return outcomes;
          });
    }

    @Override
    public Fingerprint fingerprint() {
      return shelves.fingerprint();
    }
  }

  @Override
  public Fingerprint fingerprint() {
    return shelves.fingerprint();
  }

  @Override
  public boolean available() {
    return link.isConnected() && guard.available();
  }

  @Override
  public Health health() {
    boolean connected = link.isConnected();
    return new Health(
        connected && guard.available(),
        connected ? (guard.available() ? "answers" : "does not answer") : link.trouble(),
        Duration.of(link.drift(), ChronoUnit.MICROS),
        guard.degraded(),
        corrupt.get(),
        presence.nodes(),
        routed.leased(),
        routed.untold(),
        Duration.of(routed.syncLag(), ChronoUnit.MICROS));
  }

  private void join(Setup theirs) {
    Shelves ours = shelves;
    if (!ours.setup.equals(theirs)) {
      shelves = new Shelves(theirs, prefix, guard, shared);
      ours.retire();
    }
  }

  /** Lets every shelf forget a little, and asks lost stores whether they answer. */
  private void tick() {
    shelves.tick();
    guard.probe();
  }

  private RedisStore start() {
    CompletableFuture<Boolean> first = link.open();
    link.every("redis-upkeep", TICK_MS, this::tick);
    if (first.completeOnTimeout(false, PATIENCE_MS, TimeUnit.MILLISECONDS).join()) {
      shelves.warmUp();
    }
    return this;
  }

  @Override
  public void close() {
    routed.close();
    link.close();
    guard.close();
  }

  /** A Redis store in the making. */
  public static final class Builder {
    private final String url;
    private Duration deadline = Duration.ofMillis(5);
    private int maxWaiting = 10_000;
    private int maxInFlight = 1024;
    private int shelves = 1024;
    private int pages;
    private String prefix = "weir";
    private StoreListener listener = StoreListener.NONE;
    private Duration spike = Duration.ZERO;
    private @Nullable Clock storeClock;

    private Builder(String url) {
      this.url = url;
    }

    /** How long a decision may take, waiting for its turn included; 5 ms if not said. */
    public Builder deadline(Duration one) {
      deadline = one;
      return this;
    }

    /** How many decisions may wait at once; further ones are answered by posture. */
    public Builder maxWaiting(int decisions) {
      maxWaiting = decisions;
      return this;
    }

    /**
     * How many decisions may be sent and unanswered, in a Cluster to each shelf: the most that can
     * be charged without anybody knowing when a server freezes and comes back.
     */
    public Builder maxInFlight(int decisions) {
      maxInFlight = require(decisions >= 1, decisions, "decisions in flight cannot be; at least 1");
      return this;
    }

    /** Over how many keys a Cluster's counters are spread; a power of two up to 65536. */
    public Builder shelves(int count) {
      boolean fits = count >= 1 && count <= Setup.MOST_SHELVES && Integer.bitCount(count) == 1;
      shelves = require(fits, count, "shelves cannot be; write a power of two up to 65536");
      return this;
    }

    /**
     * Over how many fields of Redis the counters are spread, up to the next power of two: with a
     * fourth as many as there are counters, each takes about 35 bytes, at half the speed. If not
     * said, or 0, each has a field of its own and takes about 75.
     */
    public Builder pages(int count) {
      boolean fits = count >= 0 && count <= Setup.MOST_PAGES;
      pages = Setup.pages(require(fits, count, "pages cannot be; write 0 to " + Setup.MOST_PAGES));
      return this;
    }

    /** What the keys begin with, for several Weirs on one Redis. */
    public Builder prefix(String text) {
      if (!text.matches("[a-zA-Z0-9:._-]{1,64}")) {
        throw new IllegalArgumentException(
            "a prefix of '" + text + "' cannot be; write 1 to 64 of a-z, A-Z, 0-9 and :._-");
      }
      prefix = text;
      return this;
    }

    /**
     * Above which latency of the server this node answers from what it knows of each counter, marks
     * the decisions as degraded, and tells the server afterwards; never if not said.
     */
    public Builder spike(Duration threshold) {
      spike = threshold;
      return this;
    }

    /** Hears how the store fares. */
    public Builder listener(StoreListener one) {
      listener = one;
      return this;
    }

    /** The time to decide by instead of the server's, for tests. */
    Builder storeClock(Clock one) {
      storeClock = one;
      return this;
    }

    /**
     * Opens it. Waits a moment for the connection; where there is none it starts without, answers
     * by postures, and joins when there is.
     */
    public RedisStore open() {
      return new RedisStore(this).start();
    }

    private static int require(boolean condition, int value, String reason) {
      if (!condition) {
        throw new IllegalArgumentException(value + " " + reason);
      }
      return value;
    }
  }
}
