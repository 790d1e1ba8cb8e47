package io.weir.server.doctor;

import io.weir.redis.RedisView;
import io.weir.rule.Rule;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks at everything a server with these settings would need, and says of each whether it is well.
 *
 * <p>It changes nothing but what a server would at its start: a counter or two in the store, which
 * are soon forgotten.
 */
public final class Doctor {
  private final Config config;
  private final Clock wall;
  private final Consumer<Finding> tell;

  /**
   * @param wall this machine's clock, which that of the store is held against
   * @param tell hears each finding as soon as it is there
   */
  public Doctor(Config config, Clock wall, Consumer<Finding> tell) {
    this.config = config;
    this.wall = wall;
    this.tell = tell;
  }

  public void examine() {
    new MachineExam(config).findings().forEach(tell);
    new DoorsExam(config).findings().forEach(tell);
    new CertificateExam(config, wall).finding().ifPresent(tell);
    new UpstreamsExam(config).findings().forEach(tell);
    RulesExam rules = new RulesExam(config);
    rules.findings().forEach(tell);
    store(rules.rules());
    config.get(Settings.REGIONS_LINK).ifPresent(this::link);
  }

  private void link(String url) {
    try {
      var unused = RedisView.of(url, wall);
      tell.accept(Finding.ok("regions", Shown.url(url) + " answers"));
    } catch (StoreException e) {
      tell.accept(
          Finding.problem(
              "regions",
              Shown.url(url) + " " + e.reason(),
              "start it, or write --regions-link; until then regions keep their shares"));
    }
  }

  private void store(List<Rule> rules) {
    String url = config.get(Settings.STORE);
    List<String> durable =
        rules.stream().filter(r -> r.enabled() && r.durable()).map(Rule::id).toList();
    if (url.equals("memory")) {
      tell.accept(memory(durable));
      return;
    }
    try {
      RedisView view = RedisView.of(url, wall);
      new RedisExam(view, durable).findings().forEach(tell);
      tell.accept(new DecisionsExam(config).finding());
    } catch (StoreException e) {
      tell.accept(
          Finding.problem(
              "store",
              Shown.url(url) + " " + e.reason(),
              "start it, or write --store; until then rules answer by their posture"));
    }
  }

  private static Finding memory(List<String> durable) {
    String text = "memory: each node counts for itself";
    return durable.isEmpty()
        ? Finding.ok("store", text)
        : Finding.warning(
            "store",
            text + ", and a crash forgets it, though durable are " + Shown.names(durable),
            "write --store redis://host:port");
  }
}
