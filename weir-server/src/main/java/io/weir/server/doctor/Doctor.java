package io.weir.server.doctor;

import io.weir.redis.RedisDiagnostics;
import io.weir.rule.Rule;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
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
  private final ServerConfig config;
  private final Clock wall;
  private final Consumer<DoctorFinding> onFinding;

  /**
   * @param wall this machine's clock, which that of the store is held against
   * @param tell hears each finding as soon as it is there
   */
  public Doctor(ServerConfig config, Clock wall, Consumer<DoctorFinding> tell) {
    this.config = config;
    this.wall = wall;
    this.onFinding = tell;
  }

  public void run() {
    new MachineCheck(config).findings().forEach(onFinding);
    new ListenerPortsCheck(config).findings().forEach(onFinding);
    new CertificateCheck(config, wall).finding().ifPresent(onFinding);
    new UpstreamsCheck(config).findings().forEach(onFinding);
    RulesCheck rules = new RulesCheck(config);
    rules.findings().forEach(onFinding);
    checkStore(rules.rules());
    config.get(ServerSettings.REGIONS_LINK).ifPresent(this::checkRegionLedger);
  }

  private void checkRegionLedger(String url) {
    try {
      var unused = RedisDiagnostics.read(url, wall);
      onFinding.accept(
          DoctorFinding.ok("regions", FindingFormat.urlWithoutSecrets(url) + " answers"));
    } catch (StoreException e) {
      onFinding.accept(
          DoctorFinding.problem(
              "regions",
              FindingFormat.urlWithoutSecrets(url) + " " + e.reason(),
              "start it, or write --regions-link; until then regions keep their shares"));
    }
  }

  private void checkStore(List<Rule> rules) {
    String url = config.get(ServerSettings.STORE);
    List<String> durable =
        rules.stream().filter(r -> r.enabled() && r.durable()).map(Rule::id).toList();
    if (url.equals("memory")) {
      onFinding.accept(memoryStoreFinding(durable));
      return;
    }
    try {
      RedisDiagnostics view = RedisDiagnostics.read(url, wall);
      new RedisCheck(view, durable).findings().forEach(onFinding);
      onFinding.accept(new DecisionLatencyCheck(config).finding());
    } catch (StoreException e) {
      onFinding.accept(
          DoctorFinding.problem(
              "store",
              FindingFormat.urlWithoutSecrets(url) + " " + e.reason(),
              "start it, or write --store; until then rules answer by their posture"));
    }
  }

  private static DoctorFinding memoryStoreFinding(List<String> durable) {
    String text = "memory: each node counts for itself";
    return durable.isEmpty()
        ? DoctorFinding.ok("store", text)
        : DoctorFinding.warning(
            "store",
            text + ", and a crash forgets it, though durable are " + FindingFormat.names(durable),
            "write --store redis://host:port");
  }
}
