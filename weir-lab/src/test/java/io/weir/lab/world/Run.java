package io.weir.lab.world;

import io.weir.Decision;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** One run of a scenario, from its first request until all has come to rest. */
final class Run {
  final Scenario scenario;
  final World world;
  final Journal journal = new Journal();
  private final Random random;

  Run(Scenario scenario) {
    this.scenario = scenario;
    world = new World(scenario.seed());
    random = world.random();
    RuleSet rules = RuleSet.of(scenario.rules().toArray(new Rule[0]));
    scenario.nodes().forEach(traits -> world.add(() -> rules, traits, scenario.weather()));
    world.server().listen(journal::served);
    for (Fault fault : scenario.faults()) {
      world.time().at(World.START + fault.from(), () -> fault.happen(world));
    }
    for (int caller = 0; caller < scenario.callers(); caller++) {
      next(Request.of("user", "caller" + caller), World.START + scenario.begins());
    }
  }

  /** Runs it until that time from the start. */
  Run until(long micros) {
    world.time().runUntil(World.START + micros);
    return this;
  }

  private void next(Request caller, long at) {
    world
        .time()
        .at(
            at,
            () -> {
              if (at <= World.START + scenario.ends()) {
                ask(caller);
                next(caller, at + gap());
              }
            });
  }

  /** Evenly while healthy, so that it is known what must be admitted; else as it comes. */
  private long gap() {
    double mean = 1e6 / scenario.perSecond();
    double gap = scenario.healthy() ? mean : -Math.log(1 - random.nextDouble()) * mean;
    return Math.max(1, (long) gap);
  }

  private void ask(Request caller) {
    boolean flood = !scenario.healthy() && random.nextInt(60) == 0;
    for (int i = flood ? 30 : 1; i > 0; i--) {
      boolean large = !scenario.healthy() && random.nextInt(10) == 0;
      Request request = large ? caller.cost(1 + random.nextInt(5)) : caller;
      int node = random.nextInt(world.nodes().size());
      ask(request, world.nodes().get(node).isDead() ? (node + 1) % world.nodes().size() : node);
    }
  }

  private void ask(Request request, int node) {
    long asked = world.time().micros();
    CompletableFuture<Decision> answer = world.nodes().get(node).limiter().decide(request);
    boolean atOnce = answer.isDone();
    var unused =
        answer.thenAccept(
            decision -> {
              long at = world.time().micros();
              journal.decided(new Journal.Made(asked, at, node, decision), atOnce);
            });
  }
}
