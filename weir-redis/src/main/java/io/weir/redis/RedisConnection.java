package io.weir.redis;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.weir.internal.background.TaskMonitor;
import io.weir.internal.store.StoreException;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
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
 * A node's connection to Redis: keeps one connection open, runs the script over it, and reconnects
 * when it breaks. A call without a connection fails at once. A failed call is never sent again,
 * unless the server reported that it did not execute it.
 */
final class RedisConnection implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long MIN_RECONNECT_DELAY_MILLIS = 50;
  private static final long MAX_RECONNECT_DELAY_MILLIS = 500;
  private static final long CHECK_INTERVAL_MILLIS = 500;
  private static final long DEREGISTER_TIMEOUT_MILLIS = 100;
  private static final Duration MIN_REPLY_TIMEOUT = Duration.ofSeconds(1);

  /** After how many reply timeouts the cluster driver gives up a call that has no connection. */
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
   * @param deadline how long callers wait; a connection counts as dead after one second without a
   *     reply, or after the deadline if that is longer
   */
  RedisConnection(
      RedisAddress address,
      RedisHandshake handshake,
      LiveNodeRegistry liveNodes,
      Clock wallClock,
      Duration deadline) {
    this.address = address;
    this.handshake = handshake;
    this.liveNodes = liveNodes;
    this.wallClock = wallClock;
    drift = new ClockDriftMonitor(address, wallClock);
    Duration replyTimeout =
        deadline.compareTo(MIN_REPLY_TIMEOUT) > 0 ? deadline : MIN_REPLY_TIMEOUT;
    resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .reconnectDelay(
                Delay.exponential(
                    MIN_RECONNECT_DELAY_MILLIS, MAX_RECONNECT_DELAY_MILLIS, MILLISECONDS, 2))
            .nettyCustomizer(
                ReplyTimeoutHandler.customizer(replyTimeout, loop -> replyEventLoops().add(loop)))
            .build();
    replyEventLoops = new ReplyEventLoops(resources.eventExecutorGroup().next());
    connector = RedisConnector.create(address, resources, driverTimeouts(replyTimeout));
  }

  /**
   * Returns the timeouts of the driver itself: none for a single server, where {@link
   * ReplyTimeoutHandler} handles them; in a cluster a call may also wait for a connection.
   */
  private TimeoutOptions driverTimeouts(Duration replyTimeout) {
    return isCluster()
        ? TimeoutOptions.enabled(replyTimeout.multipliedBy(CLUSTER_TIMEOUT_FACTOR))
        : TimeoutOptions.create();
  }

  /** Returns the event loops that read the replies. */
  ReplyEventLoops replyEventLoops() {
    return replyEventLoops;
  }

  /** Receives the reply of a call or its failure. */
  @FunctionalInterface
  interface ReplyCallback {
    void onReply(byte @Nullable [] reply, @Nullable StoreException failure);
  }

  /** Starts connecting; completes with true when connected, with false if the first try failed. */
  CompletableFuture<Boolean> open() {
    connect();
    runEvery("redis-connection", CHECK_INTERVAL_MILLIS, this::checkConnection);
    return firstAttempt;
  }

  /** Runs the script on a shard. */
  void call(byte[] shardKey, byte[][] arguments, ReplyCallback callback) {
    RedisConnector.DriverConnection connection = activeConnection;
    if (connection == null) {
      callback.onReply(null, new StoreException(StoreFailureKind.UNREACHABLE, disconnectReason));
      return;
    }
    new ScriptCall(connection, shardKey, arguments)
        .run(
            functionsAvailable,
            (reply, failure) -> {
              if (failure != null) {
                dropIfUnusable(connection, failure);
              }
              callback.onReply(
                  reply, failure == null ? null : RedisFailures.toStoreException(failure));
            });
  }

  /** Drops the connection after a failure that makes it unusable. */
  private void dropIfUnusable(RedisConnector.DriverConnection connection, Throwable failure) {
    if (RedisFailures.isReadOnlyReplica(failure)) {
      drop(connection, "has become a read-only replica");
    } else if (RedisFailures.isGarbled(failure)) {
      drop(connection, "the reply cannot be read");
    } else if (RedisFailures.isTimeout(failure) && !isCluster()) { // other nodes may be reachable
      drop(connection, "no reply in time");
    }
  }

  /** Closes a connection that cannot be trusted any more, and reconnects. */
  void drop(String reason) {
    RedisConnector.DriverConnection current = activeConnection;
    if (current != null) {
      drop(current, reason);
    }
  }

  private void drop(RedisConnector.DriverConnection brokenConnection, String reason) {
    synchronized (this) {
      if (activeConnection != brokenConnection) {
        return;
      }
      activeConnection = null;
      disconnectReason = reason;
    }
    logOnce(reason);
    var unused = brokenConnection.connection().closeAsync();
    scheduleReconnect();
  }

  boolean isCluster() {
    return address.kind() == RedisAddress.RedisAddressKind.CLUSTER;
  }

  boolean isConnected() {
    return activeConnection != null;
  }

  /** Returns why there is no connection. */
  String disconnectReason() {
    return disconnectReason;
  }

  /** Returns how far the server's clock is ahead of this node's, in microseconds. */
  long clockDriftMicros() {
    return drift.driftMicros();
  }

  void runAfter(long millis, Runnable task) {
    if (!closed) {
      var unused =
          resources
              .eventExecutorGroup()
              .schedule(() -> timerMonitor.run(task::run), millis, MILLISECONDS);
    }
  }

  /** Runs a task periodically until this is closed, even if it throws. */
  void runEvery(String name, long millis, Runnable task) {
    TaskMonitor monitor = TaskMonitor.periodic(name, Duration.ofMillis(millis), timer::micros);
    monitors.add(monitor);
    var unused =
        resources
            .eventExecutorGroup()
            .scheduleWithFixedDelay(() -> monitor.run(task::run), millis, millis, MILLISECONDS);
  }

  /** Creates a monitor for tasks that run on demand; closed with this connection. */
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
                  target -> {
                    connectedTarget = target;
                    return connector.connect();
                  });
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e);
    }
    var unused =
        connecting
            .thenCompose(this::runHandshake)
            .whenComplete(
                (connection, failure) -> {
                  if (failure == null) {
                    onConnected(connection);
                  } else {
                    disconnectReason = RedisFailures.describeConnectFailure(failure);
                    logOnce(disconnectReason);
                    firstAttempt.complete(false);
                    scheduleReconnect();
                  }
                });
  }

  /** Performs the handshake before the first call. */
  private CompletionStage<RedisConnector.DriverConnection> runHandshake(
      RedisConnector.DriverConnection connection) {
    return handshake
        .perform(connection)
        .handle(
            (hasFunctions, failure) -> {
              if (failure != null) {
                var unused = connection.connection().closeAsync();
                throw new CompletionException(failure);
              }
              functionsAvailable = hasFunctions;
              return connection;
            });
  }

  private void onConnected(RedisConnector.DriverConnection connection) {
    boolean first;
    synchronized (this) {
      RedisConnector.DriverConnection current = activeConnection;
      if (current != null && current.connection().isOpen()) { // another attempt succeeded first
        var unused = connection.connection().closeAsync();
        return;
      }
      first = loggedReason == null;
      loggedReason = null;
      reconnectDelayMillis = MIN_RECONNECT_DELAY_MILLIS;
      activeConnection = connection;
    }
    if (!first) {
      LOG.log(Level.INFO, "{0} is connected again", address);
    }
    if (!isCluster()) {
      connection
          .connection()
          .addListener(new DisconnectListener(() -> drop(connection, "the connection was lost")));
      if (!connection.connection().isOpen()) {
        drop(connection, "the connection was lost");
      }
    }
    if (closed) {
      var unused = connection.connection().closeAsync();
    }
    firstAttempt.complete(true);
  }

  private void scheduleReconnect() {
    long delayMillis;
    synchronized (this) {
      delayMillis = reconnectDelayMillis;
      reconnectDelayMillis = Math.min(2 * reconnectDelayMillis, MAX_RECONNECT_DELAY_MILLIS);
    }
    runAfter(
        delayMillis,
        () -> {
          if (!connectMonitor.run(this::connect)) {
            scheduleReconnect();
          }
        });
  }

  /** Periodically checks clock drift, layout, live nodes and the connected master. */
  private void checkConnection() {
    RedisConnector.DriverConnection connection = activeConnection;
    if (connection == null) {
      return;
    }
    try {
      var unusedTime =
          drift
              .measure(connection)
              .exceptionally(
                  failure -> {
                    dropIfUnusable(connection, failure);
                    return null;
                  });
      var unusedSetup = handshake.verifyLayout(connection);
      var unusedNodes =
          liveNodes.heartbeat(connection, (wallClock.micros() + drift.driftMicros()) / 1000);
      var unusedPlace =
          connector.resolveTarget().thenAccept(target -> dropIfMasterChanged(connection, target));
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the periodic check of the store failed", e);
    }
  }

  /** Drops the connection to a master that the sentinels no longer report, though it replies. */
  private void dropIfMasterChanged(RedisConnector.DriverConnection connection, String target) {
    if (!target.equals(connectedTarget)) {
      drop(connection, "the sentinels report another master");
    }
  }

  /** Logs one line per reason, not one per attempt. */
  private void logOnce(String reason) {
    synchronized (this) {
      if (reason.equals(loggedReason) || closed) {
        return;
      }
      loggedReason = reason;
    }
    LOG.log(
        Level.WARNING,
        "{0}: {1}; rules use their fallback until the store is available again",
        address,
        reason);
  }

  private void deregister(RedisConnector.DriverConnection connection) {
    try {
      liveNodes
          .deregister(connection)
          .toCompletableFuture()
          .completeOnTimeout(null, DEREGISTER_TIMEOUT_MILLIS, MILLISECONDS)
          .join();
    } catch (RuntimeException e) { // the entry expires after ten seconds
      LOG.log(Level.DEBUG, "could not deregister this node", e);
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
