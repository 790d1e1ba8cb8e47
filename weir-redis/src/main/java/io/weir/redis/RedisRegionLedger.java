package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.weir.region.LedgerSnapshot;
import io.weir.region.LedgerSnapshot.RegionStatus;
import io.weir.region.RegionLedger;
import io.weir.region.RegionReport;
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
 * The ledger of all regions in one Redis: one of the regions' own or another, which no decision
 * waits for.
 *
 * <p>It has a connection of its own, made when it is first needed and anew after any fault.
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
  private volatile String lastError = "not asked yet";

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
   * A ledger at an address, as {@link RedisStore#at} takes it.
   *
   * @param prefix what its keys begin with
   * @throws IllegalArgumentException saying what is wrong with the address
   */
  public static RedisRegionLedger at(String url, String prefix) {
    return new RedisRegionLedger(RedisAddress.parse(url), prefix, null);
  }

  /** As above, by another clock than the server's, for tests. */
  static RedisRegionLedger at(String url, String prefix, Clock clock) {
    return new RedisRegionLedger(RedisAddress.parse(url), prefix, clock);
  }

  @Override
  public CompletionStage<LedgerSnapshot> exchange(RegionReport report) {
    CompletableFuture<RedisConnector.DriverConnection> to = connectionOrConnect();
    return to.thenCompose(connected -> runScript(connected, report))
        .thenApply(RedisRegionLedger::parseReply)
        .whenComplete(
            (table, failure) -> {
              if (failure != null) {
                drop(to, failure);
              } else {
                lastError = "";
              }
            });
  }

  /** The connection there is, or the one that is being made. */
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

  private void drop(CompletableFuture<RedisConnector.DriverConnection> broken, Throwable failure) {
    synchronized (this) {
      if (connectionFuture != broken) {
        return;
      }
      connectionFuture = null;
    }
    if (broken.isCompletedExceptionally()) {
      lastError = RedisFailures.describeConnectFailure(failure);
    } else {
      lastError = RedisFailures.toStoreException(failure).reason();
      var unused = broken.thenCompose(old -> old.connection().closeAsync());
    }
  }

  private CompletionStage<byte[]> runScript(
      RedisConnector.DriverConnection to, RegionReport report) {
    byte[][] keys = {ledgerKey(report).getBytes(US_ASCII)};
    byte[][] values = scriptArguments(report);
    CompletionStage<byte[]> answer =
        to.commands().evalsha(SHA, ScriptOutputType.VALUE, keys, values);
    return answer
        .handle(
            (reply, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(reply);
              }
              if (!RedisFailures.isUnknownScript(failure)) {
                return CompletableFuture.<byte[]>failedFuture(failure);
              }
              CompletionStage<byte[]> again =
                  to.commands().eval(SCRIPT, ScriptOutputType.VALUE, keys, values);
              return again.toCompletableFuture();
            })
        .thenCompose(reply -> reply);
  }

  /** An edit of a rule's regions begins another ledger. */
  private String ledgerKey(RegionReport report) {
    return report.budget().percents().entrySet().stream()
        .map(one -> one.getKey() + "=" + one.getValue())
        .sorted()
        .collect(Collectors.joining(",", keyPrefix + report.budget().ruleId() + ":", ""));
  }

  private byte[][] scriptArguments(RegionReport report) {
    List<Object> all = new ArrayList<>();
    all.add(report.region());
    all.add(report.nodeId());
    all.add(report.nodeCount());
    all.add(report.appliedShare());
    all.add((long) Math.min(MAX_MILLIONTHS, Math.ceil(report.demand() * MILLIONTHS)));
    all.add((long) Math.min(MAX_MILLIONTHS, Math.ceil(report.usedFraction() * MILLIONTHS)));
    all.add(report.requestedShare());
    all.add(Math.max(1, report.recoveryTime().plusNanos(999_999).toMillis()));
    all.add(report.drainsSteadily() ? 1 : 0);
    all.add(report.silenceTimeout().toMillis());
    all.add(report.leaving() ? 1 : 0);
    all.add(report.budget().unassignedShare());
    all.add(clock == null ? 0 : clock.micros() / 1000);
    report
        .budget()
        .percents()
        .keySet()
        .forEach(
            region -> {
              all.add(region);
              all.add(report.budget().configuredShare(region));
            });
    return all.stream().map(one -> String.valueOf(one).getBytes(US_ASCII)).toArray(byte[][]::new);
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
