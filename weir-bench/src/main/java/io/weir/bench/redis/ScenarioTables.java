package io.weir.bench.redis;

import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures a scenario: one table per figure, one column per number of requests in flight. */
final class ScenarioTables {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final int FILL_IN_FLIGHT = 1024;
  private static final int WARM_UP_IN_FLIGHT = 256;
  private static final Duration WARM_UP_PER_LEVEL = Duration.ofMillis(500);

  private final TrafficScenario scenario;
  private final CallerSequence callers;
  private final ResultTable rate;
  private final ResultTable p50;
  private final ResultTable p99;
  private final ResultTable cpu;
  private final ResultTable commands;

  ScenarioTables(TrafficScenario scenario) {
    this.scenario = scenario;
    callers = CallerSequence.randomCallers(0, scenario.callers());
    String title = scenario.title() + ", by requests in flight";
    rate = ResultTable.higherIsBetter(title, "thousand decisions per second");
    p50 = ResultTable.lowerIsBetter(title, "p50 in µs");
    p99 = ResultTable.lowerIsBetter(title, "p99 in µs");
    cpu = ResultTable.lowerIsBetter(title, "µs of Redis CPU per decision");
    commands = ResultTable.lowerIsBetter(title, "commands in Redis per 1000 decisions");
  }

  List<ResultTable> tables() {
    List<ResultTable> tables = new ArrayList<>(List.of(rate, p50, p99, cpu));
    if (scenario.refused()) {
      tables.add(commands);
    }
    return tables;
  }

  /** Adds a line below the first table. */
  void addNote(String line) {
    rate.addNote(line);
  }

  /**
   * Measures every candidate with every number in flight in every round, after a warm-up: batching
   * becomes several times as fast in the first seconds.
   */
  void measure(MeasurementPlan rounds, Duration busy) throws InterruptedException {
    try (CandidateSet lineup =
        new CandidateSet(scenario.quota(), DEADLINE, scenario.candidates())) {
      for (String name : scenario.candidates()) {
        fill(lineup.candidate(name), busy);
      }
      for (int round = 1; round <= rounds.rounds(); round++) {
        for (int inFlight : scenario.inFlight()) {
          for (String name : scenario.candidates()) {
            System.out.printf("  round %d/%d, ", round, rounds.rounds());
            runTrial(name, lineup, inFlight, rounds.iterationMillis());
          }
        }
      }
    }
  }

  /** Sends one request per caller, then random ones, finally with every number in flight. */
  private void fill(LimiterCandidate candidate, Duration busy) throws InterruptedException {
    candidate.prepare(scenario.callers());
    ClosedLoop.runAll(
        candidate, FILL_IN_FLIGHT, CallerSequence.eachCallerOnce(0, scenario.callers()));
    keepBusy(candidate, WARM_UP_IN_FLIGHT, busy);
    for (int inFlight : scenario.inFlight()) {
      keepBusy(candidate, inFlight, WARM_UP_PER_LEVEL);
    }
  }

  private void keepBusy(LimiterCandidate candidate, int inFlight, Duration time)
      throws InterruptedException {
    ClosedLoop loop = ClosedLoop.start(candidate, inFlight, callers);
    Thread.sleep(time.toMillis());
    loop.close();
  }

  private void runTrial(String name, CandidateSet lineup, int inFlight, long millis)
      throws InterruptedException {
    String trial = scenario.title() + ", " + inFlight + " in flight, " + name + ": ";
    System.out.print(trial);
    try {
      LoadSample sample = takeSample(lineup.server(name), lineup.candidate(name), inFlight, millis);
      scenario.check(sample);
      add(name, Integer.toString(inFlight), sample);
      System.out.println(ResultTable.format(sample.thousandsPerSecond()) + " thousand per second");
    } catch (IllegalStateException e) {
      System.out.println("failed");
      rate.addFailure(trial + e.getMessage());
    }
  }

  private LoadSample takeSample(
      MeasuredRedis server, LimiterCandidate candidate, int inFlight, long millis)
      throws InterruptedException {
    try (ClosedLoop loop = ClosedLoop.start(candidate, inFlight, callers)) {
      Thread.sleep(millis / 2);
      return loop.measure(server, millis * 3 / 2);
    }
  }

  private void add(String name, String column, LoadSample sample) {
    rate.add(name, column, sample.thousandsPerSecond());
    p50.add(name, column, sample.latencies().percentileMicros(0.5));
    p99.add(name, column, sample.latencies().percentileMicros(0.99));
    cpu.add(name, column, sample.cpuMicrosPerAnswer());
    commands.add(name, column, sample.commandsPerThousandAnswers());
  }

  /** Adds result lines for decisions per second against each of these peers. */
  void addRateResults(int inFlight, String weir, String... peers) {
    addResults(rate, "kops", inFlight, weir, peers);
  }

  void addP50Results(int inFlight, String weir, String... peers) {
    addResults(p50, "p50-us", inFlight, weir, peers);
  }

  void addCpuResults(int inFlight, String weir, String... peers) {
    addResults(cpu, "redis-cpu-us", inFlight, weir, peers);
  }

  void addCommandResults(int inFlight, String weir, String... peers) {
    addResults(commands, "commands-per-1000", inFlight, weir, peers);
  }

  private void addResults(
      ResultTable table, String unit, int inFlight, String weir, String... peers) {
    String column = Integer.toString(inFlight);
    String variant = weir.replaceFirst("^weir", "");
    for (String peer : peers) {
      if (table.hasValues(weir, column) && table.hasValues(peer, column)) {
        String name = scenario.name() + "-" + column + variant + "-" + unit + "-vs-" + peer;
        table.addResult(name, column, weir, peer);
      }
    }
  }
}
