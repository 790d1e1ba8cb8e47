package io.weir.bench.redis;

import static io.weir.bench.redis.CandidateSet.BATCHING;
import static io.weir.bench.redis.CandidateSet.BUCKET4J;
import static io.weir.bench.redis.CandidateSet.INCR;
import static io.weir.bench.redis.CandidateSet.NO_OP;
import static io.weir.bench.redis.CandidateSet.REDISSON;
import static io.weir.bench.redis.CandidateSet.SCRIPT;
import static io.weir.bench.redis.CandidateSet.WEIR;
import static io.weir.bench.redis.CandidateSet.WEIR_SMALL;
import static io.weir.bench.redis.CandidateSet.WEIR_TWO_NODES;
import static io.weir.bench.redis.CandidateSet.WEIR_TWO_RULES;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The suite of {@code ./bench redis}: decisions on one Redis with many callers, with one caller,
 * and with one that is refused.
 */
public final class RedisSuite implements BenchmarkSuite {
  /** Never exhausted, and refilled so slowly that no counter expires during the run. */
  private static final BucketQuota MONTHLY = new BucketQuota(1000, Duration.ofDays(30));

  /** Refilled so fast that every counter may expire within a second. */
  private static final BucketQuota BRIEF = new BucketQuota(1_000_000, Duration.ofMinutes(1));

  private static final BucketQuota PLENTY = new BucketQuota(100_000_000, Duration.ofMinutes(1));
  private static final BucketQuota HARDLY_ANY = new BucketQuota(10, Duration.ofMinutes(1));
  private static final List<Integer> IN_FLIGHT = List.of(1, 16, 64, 256);
  private static final List<Integer> HIGH_IN_FLIGHT = List.of(64, 256);
  private static final int CALLERS = 100_000;

  private final List<ResultTable> tables = new ArrayList<>();

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    System.out.println("  " + MeasuredRedis.describe());
    measureRandomKeys(rounds);
    measureMillionKeys(rounds);
    measureShortLivedKeys(rounds);
    measureHotKey(rounds);
    measureRefusals(rounds);
    measureSingleDecisions(rounds);
    measureOfferedLoad(rounds, 58_000, WEIR, rounds.isQuick() ? List.of() : List.of(SCRIPT));
    measureOfferedLoad(rounds, 2 * 58_000, WEIR_TWO_NODES, List.of());
    return tables;
  }

  private void measureOfferedLoad(
      MeasurementPlan rounds, int perSecond, String weir, List<String> peers)
      throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(weir));
    all.addAll(peers);
    OfferedLoad offered = new OfferedLoad(perSecond, weir);
    Duration watched = Duration.ofSeconds(rounds.isQuick() ? 5 : 30);
    offered.measure(all, MONTHLY, CALLERS, watched);
    tables.addAll(offered.tables());
  }

  private void measureRandomKeys(MeasurementPlan rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, SCRIPT, BUCKET4J, REDISSON, INCR, NO_OP);
    TrafficScenario scenario =
        new TrafficScenario(
            "random-100k", "100k random keys", CALLERS, MONTHLY, false, all, IN_FLIGHT);
    ScenarioTables load = measure(scenario, rounds, 2);
    IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR, SCRIPT));
    HIGH_IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR, BUCKET4J, REDISSON));
    HIGH_IN_FLIGHT.forEach(n -> load.addCpuResults(n, WEIR, SCRIPT));
  }

  private void measureMillionKeys(MeasurementPlan rounds) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(WEIR, WEIR_SMALL, SCRIPT));
    if (!rounds.isQuick()) {
      all.addAll(List.of(BUCKET4J, REDISSON));
    }
    TrafficScenario scenario =
        new TrafficScenario(
            "random-1m", "1M random keys", 1_000_000, MONTHLY, false, all, HIGH_IN_FLIGHT);
    ScenarioTables load = measure(scenario, rounds, 1);
    HIGH_IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR, SCRIPT, BUCKET4J, REDISSON));
    HIGH_IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR_SMALL, SCRIPT));
    HIGH_IN_FLIGHT.forEach(n -> load.addCpuResults(n, WEIR, SCRIPT));
    if (rounds.isQuick()) {
      load.addNote("the other peers with 1M keys are left out of a quick run");
    }
  }

  private void measureShortLivedKeys(MeasurementPlan rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, SCRIPT);
    TrafficScenario scenario =
        new TrafficScenario(
            "passing-100k",
            "100k random keys, soon expired",
            CALLERS,
            BRIEF,
            false,
            all,
            HIGH_IN_FLIGHT);
    ScenarioTables load = measure(scenario, rounds, 1);
    HIGH_IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR, SCRIPT));
    HIGH_IN_FLIGHT.forEach(n -> load.addCpuResults(n, WEIR, SCRIPT));
  }

  private void measureHotKey(MeasurementPlan rounds) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(WEIR, SCRIPT, BUCKET4J, BATCHING, REDISSON));
    if (!rounds.isQuick()) {
      all.addAll(List.of(INCR, NO_OP));
    }
    List<Integer> inFlight = rounds.isQuick() ? List.of(256) : IN_FLIGHT;
    TrafficScenario scenario =
        new TrafficScenario("hot", "one hot key", 1, PLENTY, false, all, inFlight);
    ScenarioTables load = measure(scenario, rounds, 3);
    HIGH_IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR, SCRIPT, BATCHING));
    ExactGrantsCheck exact = new ExactGrantsCheck();
    exact.measure();
    tables.add(exact.table());
  }

  private void measureRefusals(MeasurementPlan rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, SCRIPT, BUCKET4J, BATCHING, REDISSON);
    List<Integer> inFlight = rounds.isQuick() ? List.of(256) : IN_FLIGHT;
    TrafficScenario scenario =
        new TrafficScenario("refused", "one refused hot key", 1, HARDLY_ANY, true, all, inFlight);
    ScenarioTables load = measure(scenario, rounds, 1);
    HIGH_IN_FLIGHT.forEach(n -> load.addRateResults(n, WEIR, SCRIPT, BATCHING));
    HIGH_IN_FLIGHT.forEach(n -> load.addCommandResults(n, WEIR, SCRIPT));
  }

  private void measureSingleDecisions(MeasurementPlan rounds) throws InterruptedException {
    List<String> all = List.of(WEIR, WEIR_TWO_RULES, SCRIPT);
    TrafficScenario scenario =
        new TrafficScenario(
            "decision",
            "one rule and two, 100k keys",
            CALLERS,
            MONTHLY,
            false,
            all,
            List.of(1, 64));
    ScenarioTables load = measure(scenario, rounds, 1);
    load.addP50Results(1, WEIR, SCRIPT);
    load.addP50Results(1, WEIR_TWO_RULES, WEIR);
    List.of(1, 64).forEach(n -> load.addCpuResults(n, WEIR_TWO_RULES, WEIR));
  }

  /**
   * Measures after a warm-up of each candidate, in more and shorter rounds, so that candidates are
   * compared under the same conditions of the machine.
   */
  private ScenarioTables measure(TrafficScenario scenario, MeasurementPlan rounds, int seconds)
      throws InterruptedException {
    ScenarioTables load = new ScenarioTables(scenario);
    long millis = rounds.iterationMillis() / 3;
    MeasurementPlan more =
        new MeasurementPlan(3 * rounds.rounds(), rounds.warmups(), rounds.iterations(), millis);
    load.measure(more, Duration.ofSeconds(seconds));
    tables.addAll(load.tables());
    return load;
  }
}
