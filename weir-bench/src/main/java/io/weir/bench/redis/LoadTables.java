package io.weir.bench.redis;

import io.weir.bench.report.Rounds;
import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a scenario shows: a table per figure, a column per number of requests in flight. */
final class LoadTables {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final int FILLING = 1024;
  private static final int WARMING = 256;
  private static final Duration EACH = Duration.ofMillis(500);

  private final Scenario scenario;
  private final Callers any;
  private final Table rate;
  private final Table p50;
  private final Table p99;
  private final Table cpu;
  private final Table commands;

  LoadTables(Scenario scenario) {
    this.scenario = scenario;
    any = Callers.any(0, scenario.callers());
    String title = scenario.title() + ", by requests in flight";
    rate = Table.higherIsBetter(title, "thousand decisions per second");
    p50 = Table.lowerIsBetter(title, "p50 in µs");
    p99 = Table.lowerIsBetter(title, "p99 in µs");
    cpu = Table.lowerIsBetter(title, "µs of Redis CPU per decision");
    commands = Table.lowerIsBetter(title, "commands in Redis per 1000 decisions");
  }

  List<Table> tables() {
    List<Table> tables = new ArrayList<>(List.of(rate, p50, p99, cpu));
    if (scenario.refused()) {
      tables.add(commands);
    }
    return tables;
  }

  /** Adds a line below the first table. */
  void note(String line) {
    rate.note(line);
  }

  /**
   * Measures every candidate with every number in flight in every round, after each was busy for a
   * while: what is merged gets several times as fast in its first seconds.
   */
  void measure(Rounds rounds, Duration busy) throws InterruptedException {
    try (Lineup lineup = new Lineup(scenario.quota(), DEADLINE, scenario.candidates())) {
      for (String name : scenario.candidates()) {
        fill(lineup.candidate(name), busy);
      }
      for (int round = 1; round <= rounds.count(); round++) {
        for (int inFlight : scenario.inFlight()) {
          for (String name : scenario.candidates()) {
            System.out.printf("  round %d/%d, ", round, rounds.count());
            trial(name, lineup, inFlight, rounds.millis());
          }
        }
      }
    }
  }

  /** Lets every caller come once, then any of them, in the end with every number in flight. */
  private void fill(Candidate candidate, Duration busy) throws InterruptedException {
    candidate.prepare(scenario.callers());
    ClosedLoop.runOut(candidate, FILLING, Callers.each(0, scenario.callers()));
    keepBusy(candidate, WARMING, busy);
    for (int inFlight : scenario.inFlight()) {
      keepBusy(candidate, inFlight, EACH);
    }
  }

  private void keepBusy(Candidate candidate, int inFlight, Duration time)
      throws InterruptedException {
    ClosedLoop loop = ClosedLoop.start(candidate, inFlight, any);
    Thread.sleep(time.toMillis());
    loop.close();
  }

  private void trial(String name, Lineup lineup, int inFlight, long millis)
      throws InterruptedException {
    String trial = scenario.title() + ", " + inFlight + " in flight, " + name + ": ";
    System.out.print(trial);
    try {
      Sample sample = sample(lineup.server(name), lineup.candidate(name), inFlight, millis);
      scenario.check(sample);
      add(name, Integer.toString(inFlight), sample);
      System.out.println(Table.format(sample.thousandsPerSecond()) + " thousand per second");
    } catch (IllegalStateException e) {
      System.out.println("failed");
      rate.fail(trial + e.getMessage());
    }
  }

  private Sample sample(Server server, Candidate candidate, int inFlight, long millis)
      throws InterruptedException {
    try (ClosedLoop loop = ClosedLoop.start(candidate, inFlight, any)) {
      Thread.sleep(millis / 2);
      return loop.watch(server, millis * 3 / 2);
    }
  }

  private void add(String name, String column, Sample sample) {
    rate.add(name, column, sample.thousandsPerSecond());
    p50.add(name, column, sample.latencies().micros(0.5));
    p99.add(name, column, sample.latencies().micros(0.99));
    cpu.add(name, column, sample.cpuMicrosEach());
    commands.add(name, column, sample.commandsPerThousand());
  }

  /** Adds the results of decisions per second against each of these peers. */
  void rateResults(int inFlight, String weir, String... peers) {
    results(rate, "kops", inFlight, weir, peers);
  }

  void p50Results(int inFlight, String weir, String... peers) {
    results(p50, "p50-us", inFlight, weir, peers);
  }

  void cpuResults(int inFlight, String weir, String... peers) {
    results(cpu, "redis-cpu-us", inFlight, weir, peers);
  }

  void commandResults(int inFlight, String weir, String... peers) {
    results(commands, "commands-per-1000", inFlight, weir, peers);
  }

  private void results(Table table, String unit, int inFlight, String weir, String... peers) {
    String column = Integer.toString(inFlight);
    String variant = weir.replaceFirst("^weir", "");
    for (String peer : peers) {
      if (table.has(weir, column) && table.has(peer, column)) {
        String name = scenario.name() + "-" + column + variant + "-" + unit + "-vs-" + peer;
        table.result(name, column, weir, peer);
      }
    }
  }
}
