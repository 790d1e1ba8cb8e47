package io.weir.cli.doctor;

import io.weir.internal.store.StoreException;
import io.weir.redis.RedisDiagnostics;
import io.weir.rule.Rule;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.Clock;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks everything that a server with the given settings needs, and reports a finding for each
 * check. Used by {@code weir doctor}.
 *
 * <p>It changes nothing except for a few counters in the store, which expire soon.
 */
public final class Doctor {
  private final ServerConfig config;
  private final Clock wall;
  private final Consumer<DoctorFinding> onFinding;

  /**
   * @param wall the clock of this machine, compared with that of the store
   * @param onFinding receives each finding as soon as it is known
   */
  public Doctor(ServerConfig config, Clock wall, Consumer<DoctorFinding> onFinding) {
    this.config = config;
    this.wall = wall;
    this.onFinding = onFinding;
  }

  /** Runs all checks. */
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
          DoctorFinding.ok("regions", FindingFormat.urlWithoutSecrets(url) + " is reachable"));
    } catch (StoreException e) {
      onFinding.accept(
          DoctorFinding.problem(
              "regions",
              FindingFormat.urlWithoutSecrets(url) + " " + e.reason(),
              "start it, or change --regions-link; until then regions keep their shares"));
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
              "start it, or change --store; until then rules use their fallback"));
    }
  }

  private static DoctorFinding memoryStoreFinding(List<String> durable) {
    String text = "memory: each node has its own counters";
    return durable.isEmpty()
        ? DoctorFinding.ok("store", text)
        : DoctorFinding.warning(
            "store",
            text
                + ", which a crash loses, but these rules are durable: "
                + FindingFormat.names(durable),
            "use --store redis://host:port");
  }
}
