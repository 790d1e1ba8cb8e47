package io.weir.redis;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.weir.background.TaskMonitor;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.store.StoreException.StoreFailureKind;
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
final class RedisConnection implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long MIN_RECONNECT_DELAY_MILLIS = 50;
  private static final long MAX_RECONNECT_DELAY_MILLIS = 500;
  private static final long CHECK_INTERVAL_MILLIS = 500;
  private static final long DEREGISTER_TIMEOUT_MILLIS = 100;
  private static final Duration MIN_REPLY_TIMEOUT = Duration.ofSeconds(1);

  /** Over which a cluster's driver gives up a call that found no connection. */
  private static final int CLUSTER_TIMEOUT_FACTOR = 3;

  private final RedisAddress address;
  private final RedisHandshake handshake;
  private final ClockDriftMonitor drift;
  private final LiveNodeRegistry liveNodes;
  private final Clock wallClock;
  private final ClientResources resources;
  private final ReplyEventLoops replyEventLoops;
  private final RedisConnector connector;
  private final Clock timer = Clock.system();
  private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
  private volatile RedisConnector.@Nullable DriverConnection activeConnection;
  private volatile boolean functionsAvailable;
  private volatile boolean closed;
  private volatile String disconnectReason = "not connected yet";
  private long reconnectDelayMillis = MIN_RECONNECT_DELAY_MILLIS;
  private volatile String connectedTarget = "";
  private @Nullable String loggedReason;
  private final List<TaskMonitor> monitors = new CopyOnWriteArrayList<>();
  private final TaskMonitor connectMonitor = monitorOnDemand("redis-connect");
  private final TaskMonitor timerMonitor = monitorOnDemand("redis-timers");

  /**
   * @param deadline how long callers wait; a connection is silent if nothing comes for a second, or
   *     for longer than that
   */
  RedisConnection(
      RedisAddress address,
      RedisHandshake handshake,
      LiveNodeRegistry presence,
      Clock wall,
      Duration deadline) {
    this.address = address;
    this.handshake = handshake;
    this.liveNodes = presence;
    this.wallClock = wall;
    drift = new ClockDriftMonitor(address, wall);
    Duration patience = deadline.compareTo(MIN_REPLY_TIMEOUT) > 0 ? deadline : MIN_REPLY_TIMEOUT;
    resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .reconnectDelay(
                Delay.exponential(
                    MIN_RECONNECT_DELAY_MILLIS, MAX_RECONNECT_DELAY_MILLIS, MILLISECONDS, 2))
            .nettyCustomizer(
                ReplyTimeoutHandler.customizer(patience, loop -> replyEventLoops().add(loop)))
            .build();
    replyEventLoops = new ReplyEventLoops(resources.eventExecutorGroup().next());
    connector = RedisConnector.create(address, resources, driverTimeouts(patience));
  }

  /**
   * What the driver itself gives up, by this node's clock: nothing on a single server, since {@link
   * ReplyTimeoutHandler} sees to it; in a cluster a call may also wait for a connection.
   */
  private TimeoutOptions driverTimeouts(Duration patience) {
    return isCluster()
        ? TimeoutOptions.enabled(patience.multipliedBy(CLUSTER_TIMEOUT_FACTOR))
        : TimeoutOptions.create();
  }

  /** The event loops that read the replies. */
  ReplyEventLoops replyEventLoops() {
    return replyEventLoops;
  }

  /** What happens when a call is answered. */
  @FunctionalInterface
  interface ReplyCallback {
    void onReply(byte @Nullable [] reply, @Nullable StoreException failure);
  }

  /** Begins; completes when connected, or with false when the first try has failed. */
  CompletableFuture<Boolean> open() {
    connect();
    runEvery("redis-connection", CHECK_INTERVAL_MILLIS, this::checkConnection);
    return firstAttempt;
  }

  /** Runs the script on a shelf. */
  void call(byte[] shelf, byte[][] arguments, ReplyCallback then) {
    RedisConnector.DriverConnection to = activeConnection;
    if (to == null) {
      then.onReply(null, new StoreException(StoreFailureKind.UNREACHABLE, disconnectReason));
      return;
    }
    new ScriptCall(to, shelf, arguments)
        .run(
            functionsAvailable,
            (reply, failure) -> {
              if (failure != null) {
                dropIfUnusable(to, failure);
              }
              then.onReply(reply, failure == null ? null : RedisFailures.toStoreException(failure));
            });
  }

  /** After some failures a connection is no good any more. */
  private void dropIfUnusable(RedisConnector.DriverConnection to, Throwable failure) {
    if (RedisFailures.isReadOnlyReplica(failure)) {
      drop(to, "it has become a replica");
    } else if (RedisFailures.isGarbled(failure)) {
      drop(to, "its answer cannot be read");
    } else if (RedisFailures.isTimeout(failure)
        && !isCluster()) { // where other nodes may fare better
      drop(to, "it has fallen silent");
    }
  }

  /** Gives up a connection that cannot be trusted any more, and makes another. */
  void drop(String reason) {
    RedisConnector.DriverConnection current = activeConnection;
    if (current != null) {
      drop(current, reason);
    }
  }

  private void drop(RedisConnector.DriverConnection broken, String reason) {
    synchronized (this) {
      if (activeConnection != broken) {
        return;
      }
      activeConnection = null;
      disconnectReason = reason;
    }
    logOnce(reason);
    var unused = broken.connection().closeAsync();
    scheduleReconnect();
  }

  boolean isCluster() {
    return address.kind() == RedisAddress.RedisAddressKind.CLUSTER;
  }

  boolean isConnected() {
    return activeConnection != null;
  }

  /** Why there is no connection. */
  String disconnectReason() {
    return disconnectReason;
  }

  /** How far the server's clock is ahead of this node's, in microseconds. */
  long clockDriftMicros() {
    return drift.driftMicros();
  }

  void runAfter(long millis, Runnable step) {
    if (!closed) {
      var unused =
          resources
              .eventExecutorGroup()
              .schedule(() -> timerMonitor.run(step::run), millis, MILLISECONDS);
    }
  }

  /** Runs a round again and again until this is closed, whatever a round throws. */
  void runEvery(String name, long millis, Runnable round) {
    TaskMonitor monitor = TaskMonitor.periodic(name, Duration.ofMillis(millis), timer::micros);
    monitors.add(monitor);
    var unused =
        resources
            .eventExecutorGroup()
            .scheduleWithFixedDelay(() -> monitor.run(round::run), millis, millis, MILLISECONDS);
  }

  /** Supervises tasks that run when there is need of them, until this is closed. */
  TaskMonitor monitorOnDemand(String name) {
    TaskMonitor monitor = TaskMonitor.onDemand(name, MIN_REPLY_TIMEOUT, timer::micros);
    monitors.add(monitor);
    return monitor;
  }

  private void connect() {
    if (closed) {
      return;
    }
    CompletionStage<RedisConnector.DriverConnection> connecting;
    try {
      connecting =
          connector
              .resolveTarget()
              .thenCompose(
                  where -> {
                    connectedTarget = where;
                    return connector.connect();
                  });
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e);
    }
    var unused =
        connecting
            .thenCompose(this::runHandshake)
            .whenComplete(
                (to, failure) -> {
                  if (failure == null) {
                    onConnected(to);
                  } else {
                    disconnectReason = RedisFailures.describeConnectFailure(failure);
                    logOnce(disconnectReason);
                    firstAttempt.complete(false);
                    scheduleReconnect();
                  }
                });
  }

  /** What must be done before anything is asked. */
  private CompletionStage<RedisConnector.DriverConnection> runHandshake(
      RedisConnector.DriverConnection to) {
    return handshake
        .perform(to)
        .handle(
            (hasFunctions, failure) -> {
              if (failure != null) {
                var unused = to.connection().closeAsync();
                throw new CompletionException(failure);
              }
              functionsAvailable = hasFunctions;
              return to;
            });
  }

  private void onConnected(RedisConnector.DriverConnection to) {
    boolean first;
    synchronized (this) {
      RedisConnector.DriverConnection current = activeConnection;
      if (current != null && current.connection().isOpen()) { // another attempt was faster
        var unused = to.connection().closeAsync();
        return;
      }
      first = loggedReason == null;
      loggedReason = null;
      reconnectDelayMillis = MIN_RECONNECT_DELAY_MILLIS;
      activeConnection = to;
    }
    if (!first) {
      LOG.log(Level.INFO, "{0} is connected again", address);
    }
    if (!isCluster()) {
      to.connection().addListener(new DisconnectListener(() -> drop(to, "the connection broke")));
      if (!to.connection().isOpen()) {
        drop(to, "the connection broke");
      }
    }
    if (closed) {
      var unused = to.connection().closeAsync();
    }
    firstAttempt.complete(true);
  }

  private void scheduleReconnect() {
    long wait;
    synchronized (this) {
      wait = reconnectDelayMillis;
      reconnectDelayMillis = Math.min(2 * reconnectDelayMillis, MAX_RECONNECT_DELAY_MILLIS);
    }
    runAfter(
        wait,
        () -> {
          if (!connectMonitor.run(this::connect)) {
            scheduleReconnect();
          }
        });
  }

  /** Looks now and then whether all is as it was. */
  private void checkConnection() {
    RedisConnector.DriverConnection to = activeConnection;
    if (to == null) {
      return;
    }
    try {
      var unusedTime =
          drift
              .measure(to)
              .exceptionally(
                  failure -> {
                    dropIfUnusable(to, failure);
                    return null;
                  });
      var unusedSetup = handshake.verifyLayout(to);
      var unusedNodes = liveNodes.heartbeat(to, (wallClock.micros() + drift.driftMicros()) / 1000);
      var unusedPlace =
          connector.resolveTarget().thenAccept(where -> dropIfMasterChanged(to, where));
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "a look at the store failed", e);
    }
  }

  /** Leaves a master that the sentinels no longer name, though it still answers. */
  private void dropIfMasterChanged(RedisConnector.DriverConnection to, String where) {
    if (!where.equals(connectedTarget)) {
      drop(to, "the sentinels name another master");
    }
  }

  /** One clear line for each trouble, not one for each try. */
  private void logOnce(String reason) {
    synchronized (this) {
      if (reason.equals(loggedReason) || closed) {
        return;
      }
      loggedReason = reason;
    }
    LOG.log(
        Level.WARNING, "{0}: {1}; rules answer by their posture until it is back", address, reason);
  }

  private void deregister(RedisConnector.DriverConnection from) {
    try {
      liveNodes
          .deregister(from)
          .toCompletableFuture()
          .completeOnTimeout(null, DEREGISTER_TIMEOUT_MILLIS, MILLISECONDS)
          .join();
    } catch (RuntimeException e) { // the others will notice
      LOG.log(Level.DEBUG, "left without a word", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    monitors.forEach(TaskMonitor::close);
    firstAttempt.complete(false);
    RedisConnector.DriverConnection current = activeConnection;
    activeConnection = null;
    disconnectReason = "closed";
    if (current != null) {
      deregister(current);
      current.connection().close();
    }
    connector.close();
    var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
