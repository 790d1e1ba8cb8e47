package io.weir.lab.world;

import io.weir.Decision;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** One run of a scenario, from its first request until all nodes have settled. */
final class SimulationRun {
  final SimulationScenario scenario;
  final SimulatedCluster cluster;
  final SimulationJournal journal = new SimulationJournal();
  private final Random random;

  SimulationRun(SimulationScenario scenario) {
    this.scenario = scenario;
    cluster = new SimulatedCluster(scenario.seed());
    random = cluster.random();
    RuleSet rules = RuleSet.of(scenario.rules().toArray(new Rule[0]));
    scenario.nodes().forEach(traits -> cluster.addNode(() -> rules, traits, scenario.network()));
    cluster.storeServer().setListener(journal::onStoreDecision);
    for (SimulatedFault fault : scenario.faults()) {
      cluster
          .timeline()
          .scheduleAt(
              SimulatedCluster.START_MICROS + fault.startMicros(), () -> fault.inject(cluster));
    }
    for (int caller = 0; caller < scenario.callers(); caller++) {
      scheduleNext(
          Request.of("user", "caller" + caller),
          SimulatedCluster.START_MICROS + scenario.firstRequestMicros());
    }
  }

  /** Runs until a time in microseconds since the start. */
  SimulationRun runUntil(long micros) {
    cluster.timeline().runUntil(SimulatedCluster.START_MICROS + micros);
    return this;
  }

  private void scheduleNext(Request caller, long at) {
    cluster
        .timeline()
        .scheduleAt(
            at,
            () -> {
              if (at <= SimulatedCluster.START_MICROS + scenario.lastRequestMicros()) {
                sendRequest(caller);
                scheduleNext(caller, at + nextGapMicros());
              }
            });
  }

  /** Returns an even gap in healthy scenarios, so that all must be admitted; else a random one. */
  private long nextGapMicros() {
    double mean = 1e6 / scenario.perSecond();
    double gap = scenario.healthy() ? mean : -Math.log(1 - random.nextDouble()) * mean;
    return Math.max(1, (long) gap);
  }

  private void sendRequest(Request caller) {
    boolean flood = !scenario.healthy() && random.nextInt(60) == 0;
    for (int i = flood ? 30 : 1; i > 0; i--) {
      boolean large = !scenario.healthy() && random.nextInt(10) == 0;
      Request request = large ? caller.cost(1 + random.nextInt(5)) : caller;
      int node = random.nextInt(cluster.nodes().size());
      sendRequest(
          request, cluster.nodes().get(node).isDead() ? (node + 1) % cluster.nodes().size() : node);
    }
  }

  private void sendRequest(Request request, int node) {
    long requested = cluster.timeline().micros();
    CompletableFuture<Decision> answer = cluster.nodes().get(node).limiter().decide(request);
    boolean atOnce = answer.isDone();
    var unused =
        answer.thenAccept(
            decision -> {
              long at = cluster.timeline().micros();
              journal.onDecision(
                  new SimulationJournal.TimedDecision(requested, at, node, decision), atOnce);
            });
  }
}
