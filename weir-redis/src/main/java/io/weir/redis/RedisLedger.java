package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.weir.region.Ledger;
import io.weir.region.Report;
import io.weir.region.Table;
import io.weir.region.Table.Standing;
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
public final class RedisLedger implements Ledger {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final double MILLION = 1e6;
  private static final double MOST = 1e12;
  private static final byte[] SCRIPT =
      Script.resource(RedisLedger.class, "ledger.lua").getBytes(US_ASCII);
  private static final String SHA = Script.sha1(SCRIPT);

  private final String prefix;
  private final @Nullable Clock clock;
  private final ClientResources resources;
  private final Route route;
  private @Nullable CompletableFuture<Route.Wire> wire;
  private boolean closed;
  private volatile String trouble = "not asked yet";

  private RedisLedger(Address address, String prefix, @Nullable Clock clock) {
    this.prefix = prefix + ":region:";
    this.clock = clock;
    resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .nettyCustomizer(UnansweredCalls.customizer(PATIENCE, loop -> {}))
            .build();
    route = Route.to(address, resources, TimeoutOptions.enabled(PATIENCE));
  }

  /**
   * A ledger at an address, as {@link RedisStore#at} takes it.
   *
   * @param prefix what its keys begin with
   * @throws IllegalArgumentException saying what is wrong with the address
   */
  public static RedisLedger at(String url, String prefix) {
    return new RedisLedger(Address.parse(url), prefix, null);
  }

  /** As above, by another clock than the server's, for tests. */
  static RedisLedger at(String url, String prefix, Clock clock) {
    return new RedisLedger(Address.parse(url), prefix, clock);
  }

  @Override
  public CompletionStage<Table> exchange(Report report) {
    CompletableFuture<Route.Wire> to = wire();
    return to.thenCompose(connected -> run(connected, report))
        .thenApply(RedisLedger::read)
        .whenComplete(
            (table, failure) -> {
              if (failure != null) {
                drop(to, failure);
              } else {
                trouble = "";
              }
            });
  }

  /** The connection there is, or the one that is being made. */
  private synchronized CompletableFuture<Route.Wire> wire() {
    if (closed) {
      return CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }
    CompletableFuture<Route.Wire> known = wire;
    if (known == null) {
      known = connect();
      wire = known;
    }
    return known;
  }

  private CompletableFuture<Route.Wire> connect() {
    try {
      return route.connect().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void drop(CompletableFuture<Route.Wire> broken, Throwable failure) {
    synchronized (this) {
      if (wire != broken) {
        return;
      }
      wire = null;
    }
    if (broken.isCompletedExceptionally()) {
      trouble = Trouble.ofConnection(failure);
    } else {
      trouble = Trouble.ofCall(failure).reason();
      var unused = broken.thenCompose(old -> old.connection().closeAsync());
    }
  }

  private CompletionStage<byte[]> run(Route.Wire to, Report report) {
    byte[][] keys = {key(report).getBytes(US_ASCII)};
    byte[][] values = arguments(report);
    CompletionStage<byte[]> answer =
        to.commands().evalsha(SHA, ScriptOutputType.VALUE, keys, values);
    return answer
        .handle(
            (reply, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(reply);
              }
              if (!Trouble.isUnknownScript(failure)) {
                return CompletableFuture.<byte[]>failedFuture(failure);
              }
              CompletionStage<byte[]> again =
                  to.commands().eval(SCRIPT, ScriptOutputType.VALUE, keys, values);
              return again.toCompletableFuture();
            })
        .thenCompose(reply -> reply);
  }

  /** An edit of a rule's regions begins another ledger. */
  private String key(Report report) {
    return report.rule().percents().entrySet().stream()
        .map(one -> one.getKey() + "=" + one.getValue())
        .sorted()
        .collect(Collectors.joining(",", prefix + report.rule().rule() + ":", ""));
  }

  private byte[][] arguments(Report report) {
    List<Object> all = new ArrayList<>();
    all.add(report.region());
    all.add(report.node());
    all.add(report.nodes());
    all.add(report.applied());
    all.add((long) Math.min(MOST, Math.ceil(report.demand() * MILLION)));
    all.add((long) Math.min(MOST, Math.ceil(report.used() * MILLION)));
    all.add(report.wish());
    all.add(Math.max(1, report.comesBack().plusNanos(999_999).toMillis()));
    all.add(report.drains() ? 1 : 0);
    all.add(report.silent().toMillis());
    all.add(report.leaving() ? 1 : 0);
    all.add(report.rule().rest());
    all.add(clock == null ? 0 : clock.micros() / 1000);
    report
        .rule()
        .percents()
        .keySet()
        .forEach(
            region -> {
              all.add(region);
              all.add(report.rule().base(region));
            });
    return all.stream().map(one -> String.valueOf(one).getBytes(US_ASCII)).toArray(byte[][]::new);
  }

  private static Table read(byte[] reply) {
    String[] lines = new String(reply, US_ASCII).split("\n", -1);
    Map<String, Standing> regions = new HashMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ", -1);
      regions.put(
          words[0],
          new Standing(
              Integer.parseInt(words[1]),
              Integer.parseInt(words[2]),
              words[3].equals("1"),
              Long.parseLong(words[4]) / MILLION));
    }
    return new Table(Integer.parseInt(lines[0]), regions);
  }

  @Override
  public String trouble() {
    return trouble;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      wire = null;
    }
    route.close();
    var unused = resources.shutdown(0, 1, SECONDS);
  }
}
