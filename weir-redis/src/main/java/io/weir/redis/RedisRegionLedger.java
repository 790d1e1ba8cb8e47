package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.weir.internal.region.LedgerSnapshot;
import io.weir.internal.region.LedgerSnapshot.RegionStatus;
import io.weir.internal.region.RegionLedger;
import io.weir.internal.region.RegionReport;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of all regions, kept in one Redis: that of a region or a separate one. No decision
 * waits for it.
 *
 * <p>It has its own connection, opened on first use and again after any failure.
 */
public final class RedisRegionLedger implements RegionLedger {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final double MILLIONTHS = 1e6;
  private static final double MAX_MILLIONTHS = 1e12;
  private static final byte[] SCRIPT =
      DecisionScript.readResource(RedisRegionLedger.class, "ledger.lua").getBytes(US_ASCII);
  private static final String SHA = DecisionScript.sha1Hex(SCRIPT);

  private final String keyPrefix;
  private final @Nullable Clock clock;
  private final ClientResources resources;
  private final RedisConnector connector;
  private @Nullable CompletableFuture<RedisConnector.DriverConnection> connectionFuture;
  private boolean closed;
  private volatile String lastError = "not connected yet";

  private RedisRegionLedger(RedisAddress address, String prefix, @Nullable Clock clock) {
    this.keyPrefix = prefix + ":region:";
    this.clock = clock;
    resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .nettyCustomizer(ReplyTimeoutHandler.customizer(TIMEOUT, loop -> {}))
            .build();
    connector = RedisConnector.create(address, resources, TimeoutOptions.enabled(TIMEOUT));
  }

  /**
   * Creates a ledger at an address in the format of {@link RedisStore#at}.
   *
   * @param prefix the prefix of its keys
   * @throws IllegalArgumentException if the address is invalid, with the reason
   */
  public static RedisRegionLedger at(String url, String prefix) {
    return new RedisRegionLedger(RedisAddress.parse(url), prefix, null);
  }

  /** The same with a clock other than the server's, for tests. */
  static RedisRegionLedger at(String url, String prefix, Clock clock) {
    return new RedisRegionLedger(RedisAddress.parse(url), prefix, clock);
  }

  @Override
  public CompletionStage<LedgerSnapshot> exchange(RegionReport report) {
    CompletableFuture<RedisConnector.DriverConnection> connection = connectionOrConnect();
    return connection
        .thenCompose(connected -> runScript(connected, report))
        .thenApply(RedisRegionLedger::parseReply)
        .whenComplete(
            (snapshot, failure) -> {
              if (failure != null) {
                drop(connection, failure);
              } else {
                lastError = "";
              }
            });
  }

  /** Returns the open connection or the one being opened. */
  private synchronized CompletableFuture<RedisConnector.DriverConnection> connectionOrConnect() {
    if (closed) {
      return CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }
    CompletableFuture<RedisConnector.DriverConnection> known = connectionFuture;
    if (known == null) {
      known = connect();
      connectionFuture = known;
    }
    return known;
  }

  private CompletableFuture<RedisConnector.DriverConnection> connect() {
    try {
      return connector.connect().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void drop(
      CompletableFuture<RedisConnector.DriverConnection> brokenConnection, Throwable failure) {
    synchronized (this) {
      if (connectionFuture != brokenConnection) {
        return;
      }
      connectionFuture = null;
    }
    if (brokenConnection.isCompletedExceptionally()) {
      lastError = RedisFailures.describeConnectFailure(failure);
    } else {
      lastError = RedisFailures.toStoreException(failure).reason();
      var unused =
          brokenConnection.thenCompose(oldConnection -> oldConnection.connection().closeAsync());
    }
  }

  private CompletionStage<byte[]> runScript(
      RedisConnector.DriverConnection connection, RegionReport report) {
    byte[][] keys = {ledgerKey(report).getBytes(US_ASCII)};
    byte[][] values = scriptArguments(report);
    CompletionStage<byte[]> answer =
        connection.commands().evalsha(SHA, ScriptOutputType.VALUE, keys, values);
    return answer
        .handle(
            (reply, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(reply);
              }
              if (!RedisFailures.isUnknownScript(failure)) {
                return CompletableFuture.<byte[]>failedFuture(failure);
              }
              CompletionStage<byte[]> resent =
                  connection.commands().eval(SCRIPT, ScriptOutputType.VALUE, keys, values);
              return resent.toCompletableFuture();
            })
        .thenCompose(reply -> reply);
  }

  /** Returns the key of a rule's ledger; an edit of the rule's regions leads to another key. */
  private String ledgerKey(RegionReport report) {
    return report.budget().percents().entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .collect(Collectors.joining(",", keyPrefix + report.budget().ruleId() + ":", ""));
  }

  private byte[][] scriptArguments(RegionReport report) {
    List<Object> arguments = new ArrayList<>();
    arguments.add(report.region());
    arguments.add(report.nodeId());
    arguments.add(report.nodeCount());
    arguments.add(report.appliedShare());
    arguments.add((long) Math.min(MAX_MILLIONTHS, Math.ceil(report.demand() * MILLIONTHS)));
    arguments.add((long) Math.min(MAX_MILLIONTHS, Math.ceil(report.usedFraction() * MILLIONTHS)));
    arguments.add(report.requestedShare());
    arguments.add(Math.max(1, report.recoveryTime().plusNanos(999_999).toMillis()));
    arguments.add(report.drainsSteadily() ? 1 : 0);
    arguments.add(report.silenceTimeout().toMillis());
    arguments.add(report.leaving() ? 1 : 0);
    arguments.add(report.budget().unassignedShare());
    arguments.add(clock == null ? 0 : clock.micros() / 1000);
    report
        .budget()
        .percents()
        .keySet()
        .forEach(
            region -> {
              arguments.add(region);
              arguments.add(report.budget().configuredShare(region));
            });
    return arguments.stream()
        .map(argument -> String.valueOf(argument).getBytes(US_ASCII))
        .toArray(byte[][]::new);
  }

  private static LedgerSnapshot parseReply(byte[] reply) {
    String[] lines = new String(reply, US_ASCII).split("\n", -1);
    Map<String, RegionStatus> regions = new HashMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ", -1);
      regions.put(
          words[0],
          new RegionStatus(
              Integer.parseInt(words[1]),
              Integer.parseInt(words[2]),
              words[3].equals("1"),
              Long.parseLong(words[4]) / MILLIONTHS));
    }
    return new LedgerSnapshot(Integer.parseInt(lines[0]), regions);
  }

  @Override
  public String lastError() {
    return lastError;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      connectionFuture = null;
    }
    connector.close();
    var unused = resources.shutdown(0, 1, SECONDS);
  }
}
