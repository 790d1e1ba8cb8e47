package io.weir.bench.redis;

import static io.weir.bench.redis.Lineup.BATCHING;
import static io.weir.bench.redis.Lineup.BUCKET4J;
import static io.weir.bench.redis.Lineup.INCR;
import static io.weir.bench.redis.Lineup.NO_OP;
import static io.weir.bench.redis.Lineup.REDISSON;
import static io.weir.bench.redis.Lineup.SCRIPT;
import static io.weir.bench.redis.Lineup.WEIR;
import static io.weir.bench.redis.Lineup.WEIR_SMALL;
import static io.weir.bench.redis.Lineup.WEIR_TWO_NODES;
import static io.weir.bench.redis.Lineup.WEIR_TWO_RULES;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Deciding over one Redis, with many callers, with one, and with one that is refused; what {@code
 * ./bench redis} measures.
 */
public final class RedisPart implements Part {
  /** Never used up, and so slow to come back that no caller may be forgotten meanwhile. */
  private static final Quota MONTHLY = new Quota(1000, Duration.ofDays(30));

  /** Back so soon that every caller may be forgotten within a second. */
  private static final Quota BRIEF = new Quota(1_000_000, Duration.ofMinutes(1));

  private static final Quota PLENTY = new Quota(100_000_000, Duration.ofMinutes(1));
  private static final Quota HARDLY_ANY = new Quota(10, Duration.ofMinutes(1));
  private static final List<Integer> IN_FLIGHT = List.of(1, 16, 64, 256);
  private static final List<Integer> MANY = List.of(64, 256);
  private static final int CALLERS = 100_000;

  private final List<Table> tables = new ArrayList<>();

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    System.out.println("  " + Server.which());
    random(rounds);
    million(rounds);
    passing(rounds);
    hot(rounds);
    refused(rounds);
    single(rounds);
    offered(rounds, 58_000, WEIR, rounds.quick() ? List.of() : List.of(SCRIPT));
    offered(rounds, 2 * 58_000, WEIR_TWO_NODES, List.of());
    return tables;
  }

  private void offered(Rounds rounds, int perSecond, String weir, List<String> peers)
      throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(weir));
    all.addAll(peers);
    OfferedLoad offered = new OfferedLoad(perSecond, weir);
    Duration watched = Duration.ofSeconds(rounds.quick() ? 5 : 30);
    offered.measure(all, MONTHLY, CALLERS, watched);
    tables.addAll(offered.tables());
  }

  private void random(Rounds rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, SCRIPT, BUCKET4J, REDISSON, INCR, NO_OP);
    Scenario scenario =
        new Scenario("random-100k", "100k random keys", CALLERS, MONTHLY, false, all, IN_FLIGHT);
    LoadTables load = measure(scenario, rounds, 2);
    IN_FLIGHT.forEach(n -> load.rateResults(n, WEIR, SCRIPT));
    MANY.forEach(n -> load.rateResults(n, WEIR, BUCKET4J, REDISSON));
    MANY.forEach(n -> load.cpuResults(n, WEIR, SCRIPT));
  }

  private void million(Rounds rounds) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(WEIR, WEIR_SMALL, SCRIPT));
    if (!rounds.quick()) {
      all.addAll(List.of(BUCKET4J, REDISSON));
    }
    Scenario scenario =
        new Scenario("random-1m", "1M random keys", 1_000_000, MONTHLY, false, all, MANY);
    LoadTables load = measure(scenario, rounds, 1);
    MANY.forEach(n -> load.rateResults(n, WEIR, SCRIPT, BUCKET4J, REDISSON));
    MANY.forEach(n -> load.rateResults(n, WEIR_SMALL, SCRIPT));
    MANY.forEach(n -> load.cpuResults(n, WEIR, SCRIPT));
    if (rounds.quick()) {
      load.note("the other peers with 1M keys are left out of a quick run");
    }
  }

  private void passing(Rounds rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, SCRIPT);
    Scenario scenario =
        new Scenario(
            "passing-100k", "100k random keys, soon forgotten", CALLERS, BRIEF, false, all, MANY);
    LoadTables load = measure(scenario, rounds, 1);
    MANY.forEach(n -> load.rateResults(n, WEIR, SCRIPT));
    MANY.forEach(n -> load.cpuResults(n, WEIR, SCRIPT));
  }

  private void hot(Rounds rounds) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(WEIR, SCRIPT, BUCKET4J, BATCHING, REDISSON));
    if (!rounds.quick()) {
      all.addAll(List.of(INCR, NO_OP));
    }
    List<Integer> inFlight = rounds.quick() ? List.of(256) : IN_FLIGHT;
    Scenario scenario = new Scenario("hot", "one hot key", 1, PLENTY, false, all, inFlight);
    LoadTables load = measure(scenario, rounds, 3);
    MANY.forEach(n -> load.rateResults(n, WEIR, SCRIPT, BATCHING));
    ExactGrants exact = new ExactGrants();
    exact.measure();
    tables.add(exact.table());
  }

  private void refused(Rounds rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, SCRIPT, BUCKET4J, BATCHING, REDISSON);
    List<Integer> inFlight = rounds.quick() ? List.of(256) : IN_FLIGHT;
    Scenario scenario =
        new Scenario("refused", "one refused hot key", 1, HARDLY_ANY, true, all, inFlight);
    LoadTables load = measure(scenario, rounds, 1);
    MANY.forEach(n -> load.rateResults(n, WEIR, SCRIPT, BATCHING));
    MANY.forEach(n -> load.commandResults(n, WEIR, SCRIPT));
  }

  private void single(Rounds rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, WEIR_TWO_RULES, SCRIPT);
    Scenario scenario =
        new Scenario(
            "decision",
            "one rule and two, 100k keys",
            CALLERS,
            MONTHLY,
            false,
            all,
            List.of(1, 64));
    LoadTables load = measure(scenario, rounds, 1);
    load.p50Results(1, WEIR, SCRIPT);
    load.p50Results(1, WEIR_TWO_RULES, WEIR);
    List.of(1, 64).forEach(n -> load.cpuResults(n, WEIR_TWO_RULES, WEIR));
  }

  /**
   * Measures after keeping each candidate busy for so many seconds; in more and shorter rounds, so
   * that what is compared has met the same moods of the machine.
   */
  private LoadTables measure(Scenario scenario, Rounds rounds, int seconds)
      throws InterruptedException {
    LoadTables load = new LoadTables(scenario);
    long millis = rounds.millis() / 3;
    Rounds more = new Rounds(3 * rounds.count(), rounds.warmups(), rounds.iterations(), millis);
    load.measure(more, Duration.ofSeconds(seconds));
    tables.addAll(load.tables());
    return load;
  }
}
