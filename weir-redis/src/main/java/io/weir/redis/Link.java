package io.weir.redis;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.weir.background.TaskMonitor;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way to the server: keeps one connection, runs the script over it, and makes another when it
 * breaks. A call without a connection fails at once; one that fails is never sent again, unless the
 * server said that it had not begun it.
 */
final class Link implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 500;
  private static final long BEAT_MS = 500;
  private static final long LEAVES_WITHIN_MS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Over which a cluster's driver gives up a call that found no connection. */
  private static final int DRIVER_PATIENCES = 3;

  private final Address address;
  private final Handshake handshake;
  private final Drift drift;
  private final Presence presence;
  private final Clock wall;
  private final ClientResources resources;
  private final ReplyLoops replyLoops;
  private final Route route;
  private final Clock timer = Clock.system();
  private final CompletableFuture<Boolean> firstTry = new CompletableFuture<>();
  private volatile Route.@Nullable Wire wire;
  private volatile boolean functions;
  private volatile boolean closed;
  private volatile String trouble = "not connected yet";
  private long pause = FIRST_PAUSE_MS;
  private volatile String destination = "";
  private @Nullable String logged;
  private final List<TaskMonitor> monitors = new CopyOnWriteArrayList<>();
  private final TaskMonitor connecting = onDemand("redis-connect");
  private final TaskMonitor timers = onDemand("redis-timers");

  /**
   * @param deadline how long callers wait; a connection is silent if nothing comes for a second, or
   *     for longer than that
   */
  Link(Address address, Handshake handshake, Presence presence, Clock wall, Duration deadline) {
    this.address = address;
    this.handshake = handshake;
    this.presence = presence;
    this.wall = wall;
    drift = new Drift(address, wall);
    Duration patience = deadline.compareTo(PATIENCE) > 0 ? deadline : PATIENCE;
    resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .reconnectDelay(Delay.exponential(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, MILLISECONDS, 2))
            .nettyCustomizer(UnansweredCalls.customizer(patience, loop -> replyLoops().add(loop)))
            .build();
    replyLoops = new ReplyLoops(resources.eventExecutorGroup().next());
    route = Route.to(address, resources, timeouts(patience));
  }

  /**
   * What the driver itself gives up, by this node's clock: nothing on a single server, since {@link
   * UnansweredCalls} sees to it; in a cluster a call may also wait for a connection.
   */
  private TimeoutOptions timeouts(Duration patience) {
    return isCluster()
        ? TimeoutOptions.enabled(patience.multipliedBy(DRIVER_PATIENCES))
        : TimeoutOptions.create();
  }

  /** The event loops that read the replies. */
  ReplyLoops replyLoops() {
    return replyLoops;
  }

  /** What happens when a call is answered. */
  @FunctionalInterface
  interface Then {
    void done(byte @Nullable [] reply, @Nullable StoreException failure);
  }

  /** Begins; completes when connected, or with false when the first try has failed. */
  CompletableFuture<Boolean> open() {
    connect();
    every("redis-connection", BEAT_MS, this::beat);
    return firstTry;
  }

  /** Runs the script on a shelf. */
  void call(byte[] shelf, byte[][] arguments, Then then) {
    Route.Wire to = wire;
    if (to == null) {
      then.done(null, new StoreException(Kind.UNREACHABLE, trouble));
      return;
    }
    new ScriptCall(to, shelf, arguments)
        .run(
            functions,
            (reply, failure) -> {
              if (failure != null) {
                judge(to, failure);
              }
              then.done(reply, failure == null ? null : Trouble.ofCall(failure));
            });
  }

  /** After some failures a connection is no good any more. */
  private void judge(Route.Wire to, Throwable failure) {
    if (Trouble.isReplica(failure)) {
      drop(to, "it has become a replica");
    } else if (Trouble.isGarbled(failure)) {
      drop(to, "its answer cannot be read");
    } else if (Trouble.isSilence(failure) && !isCluster()) { // where other nodes may fare better
      drop(to, "it has fallen silent");
    }
  }

  /** Gives up a connection that cannot be trusted any more, and makes another. */
  void drop(String reason) {
    Route.Wire current = wire;
    if (current != null) {
      drop(current, reason);
    }
  }

  private void drop(Route.Wire broken, String reason) {
    synchronized (this) {
      if (wire != broken) {
        return;
      }
      wire = null;
      trouble = reason;
    }
    say(reason);
    var unused = broken.connection().closeAsync();
    connectLater();
  }

  boolean isCluster() {
    return address.kind() == Address.Kind.CLUSTER;
  }

  boolean isConnected() {
    return wire != null;
  }

  /** Why there is no connection. */
  String trouble() {
    return trouble;
  }

  /** How far the server's clock is ahead of this node's, in microseconds. */
  long drift() {
    return drift.micros();
  }

  void later(long millis, Runnable step) {
    if (!closed) {
      var unused =
          resources
              .eventExecutorGroup()
              .schedule(() -> timers.run(step::run), millis, MILLISECONDS);
    }
  }

  /** Runs a round again and again until this is closed, whatever a round throws. */
  void every(String name, long millis, Runnable round) {
    TaskMonitor monitor = TaskMonitor.periodic(name, Duration.ofMillis(millis), timer::micros);
    monitors.add(monitor);
    var unused =
        resources
            .eventExecutorGroup()
            .scheduleWithFixedDelay(() -> monitor.run(round::run), millis, millis, MILLISECONDS);
  }

  /** Supervises tasks that run when there is need of them, until this is closed. */
  TaskMonitor onDemand(String name) {
    TaskMonitor monitor = TaskMonitor.onDemand(name, PATIENCE, timer::micros);
    monitors.add(monitor);
    return monitor;
  }

  private void connect() {
    if (closed) {
      return;
    }
    CompletionStage<Route.Wire> connecting;
    try {
      connecting =
          route
              .destination()
              .thenCompose(
                  where -> {
                    destination = where;
                    return route.connect();
                  });
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e);
    }
    var unused =
        connecting
            .thenCompose(this::prepare)
            .whenComplete(
                (to, failure) -> {
                  if (failure == null) {
                    connected(to);
                  } else {
                    trouble = Trouble.ofConnection(failure);
                    say(trouble);
                    firstTry.complete(false);
                    connectLater();
                  }
                });
  }

  /** What must be done before anything is asked. */
  private CompletionStage<Route.Wire> prepare(Route.Wire to) {
    return handshake
        .shake(to)
        .handle(
            (hasFunctions, failure) -> {
              if (failure != null) {
                var unused = to.connection().closeAsync();
                throw new CompletionException(failure);
              }
              functions = hasFunctions;
              return to;
            });
  }

  private void connected(Route.Wire to) {
    boolean first;
    synchronized (this) {
      Route.Wire current = wire;
      if (current != null && current.connection().isOpen()) { // another attempt was faster
        var unused = to.connection().closeAsync();
        return;
      }
      first = logged == null;
      logged = null;
      pause = FIRST_PAUSE_MS;
      wire = to;
    }
    if (!first) {
      LOG.log(Level.INFO, "{0} is connected again", address);
    }
    if (!isCluster()) {
      to.connection().addListener(new Disconnection(() -> drop(to, "the connection broke")));
      if (!to.connection().isOpen()) {
        drop(to, "the connection broke");
      }
    }
    if (closed) {
      var unused = to.connection().closeAsync();
    }
    firstTry.complete(true);
  }

  private void connectLater() {
    long wait;
    synchronized (this) {
      wait = pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
    later(
        wait,
        () -> {
          if (!connecting.run(this::connect)) {
            connectLater();
          }
        });
  }

  /** Looks now and then whether all is as it was. */
  private void beat() {
    Route.Wire to = wire;
    if (to == null) {
      return;
    }
    try {
      var unusedTime =
          drift
              .measure(to)
              .exceptionally(
                  failure -> {
                    judge(to, failure);
                    return null;
                  });
      var unusedSetup = handshake.look(to);
      var unusedNodes = presence.beat(to, (wall.micros() + drift.micros()) / 1000);
      var unusedPlace = route.destination().thenAccept(where -> follow(to, where));
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "a look at the store failed", e);
    }
  }

  /** Leaves a master that the sentinels no longer name, though it still answers. */
  private void follow(Route.Wire to, String where) {
    if (!where.equals(destination)) {
      drop(to, "the sentinels name another master");
    }
  }

  /** One clear line for each trouble, not one for each try. */
  private void say(String reason) {
    synchronized (this) {
      if (reason.equals(logged) || closed) {
        return;
      }
      logged = reason;
    }
    LOG.log(
        Level.WARNING, "{0}: {1}; rules answer by their posture until it is back", address, reason);
  }

  private void leave(Route.Wire from) {
    try {
      presence
          .leave(from)
          .toCompletableFuture()
          .completeOnTimeout(null, LEAVES_WITHIN_MS, MILLISECONDS)
          .join();
    } catch (RuntimeException e) { // the others will notice
      LOG.log(Level.DEBUG, "left without a word", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    monitors.forEach(TaskMonitor::close);
    firstTry.complete(false);
    Route.Wire current = wire;
    wire = null;
    trouble = "closed";
    if (current != null) {
      leave(current);
      current.connection().close();
    }
    route.close();
    var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
