package io.weir.server;

import io.weir.DecisionListener;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.http.Identity;
import io.weir.metrics.Vitals;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.RulesListener;
import io.weir.rules.RulesSize;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.text.TextException;
import io.weir.server.admin.ActiveRules;
import io.weir.server.admin.Activity;
import io.weir.server.alerts.AlertHook;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.server.gateway.Means;
import io.weir.server.gateway.MessageRules;
import io.weir.server.metrics.Metrics;
import io.weir.server.refusals.RefusalLog;
import io.weir.server.regions.Regions;
import io.weir.server.tracing.Tracing;
import io.weir.server.web.Desk;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What all doors of a node share: its rules, its store, the limiter over both, and their metrics.
 *
 * <p>At its end what is reserved is given back first, then store and rules are closed.
 */
final class Backend {
  final String node;
  final Metrics metrics = new Metrics(Clock.system());
  final Activity activity = new Activity(Clock.system());
  final RuleSource rules;
  final Store store;
  final Regions regions;
  final Limiter limiter;
  final Identity identity;
  final Desk desk;
  private final List<DecisionListener> listeners = new ArrayList<>();
  private final List<Limiter> limiters = new CopyOnWriteArrayList<>();

  /**
   * @param endings what must be closed at the end, also if this fails half-way
   */
  Backend(Config config, Endings endings) {
    node = config.get(Settings.NODE).orElseGet(Summary::hostName);
    endings.add(metrics);
    checkData(config);
    rules = openRules(config, endings);
    store = openStore(config, endings);
    regions = openRegions(config, endings);
    metrics.beforeScrape(regions.bind(metrics.registry()));
    Vitals vitals = Vitals.of(regions.rules(), store, this::pendingSettlements);
    metrics.watch(vitals);
    config
        .get(Settings.ALERT_WEBHOOK)
        .ifPresent(url -> endings.add(AlertHook.start(URI.create(url), node, vitals)));
    listeners.add(metrics.decisions());
    listeners.add(regions);
    if (config.get(Settings.ADMIN_PORT).isPresent()) {
      listeners.add(activity.decisions());
    }
    refusalLog(config).map(endings::add).ifPresent(listeners::add);
    limiter = endings.add(limiter(regions.rules()));
    identity = identity(config, endings);
    desk = new Desk(limiter, metrics.decisions(), Tracing.global());
  }

  private Limiter limiter(RuleSource over) {
    Weir.Builder builder = Weir.limiter(over).store(store);
    listeners.forEach(builder::listener);
    Limiter made = builder.build();
    limiters.add(made);
    return made;
  }

  private int pendingSettlements() {
    return limiters.stream().mapToInt(Limiter::pendingSettlements).sum();
  }

  Means gatewayMeans() {
    MessageRules messages = new MessageRules(regions.rules());
    return new Means(node, desk, identity, messages, limiter(messages), metrics.registry());
  }

  private Regions openRegions(Config config, Endings endings) {
    String region = config.get(Settings.REGION).orElse("");
    Optional<String> link = config.get(Settings.REGIONS_LINK);
    RuleSource active = new ActiveRules(rules, Clock.system());
    if (link.isEmpty()) {
      return endings.add(Regions.apart(active, region));
    }
    if (region.isEmpty()) {
      throw new StartException(
          "regions-link: which region this node is of is not said; write --region");
    }
    String prefix = config.get(Settings.STORE_PREFIX);
    return endings.add(
        Regions.linked(active, region, link.get(), prefix, () -> store.health().nodes()));
  }

  private static void checkData(Config config) {
    Path data = config.get(Settings.DATA);
    try {
      Files.createDirectories(data);
    } catch (IOException e) {
      throw new StartException(
          "the folder '" + data + "' cannot be written; write another with --data", e);
    }
    if (!Files.isWritable(data)) {
      throw new StartException(
          "the folder '" + data + "' cannot be written; write another with --data");
    }
  }

  private RuleSource openRules(Config config, Endings endings) {
    String url = config.get(Settings.RULES);
    int maxBytes = config.get(Settings.RULES_MAX_BYTES);
    RulesListener[] heard = {metrics.rules(), activity.rules()};
    try {
      return url.startsWith("file:")
          ? endings.add(
              FileRules.open(
                  FileRules.path(url),
                  maxBytes == 0 ? RulesSize.defaultMaxBytes() : maxBytes,
                  heard))
          : endings.add(
              DatabaseRules.open(
                  url,
                  config.get(Settings.DATA).resolve("rules-copy"),
                  maxBytes == 0 ? RulesSize.defaultMaxBytesOfDatabase() : maxBytes,
                  heard));
    } catch (TextException | DatabaseException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static Optional<RefusalLog> refusalLog(Config config) {
    String where = config.get(Settings.REFUSAL_LOG);
    try {
      return where.equals("off")
          ? Optional.empty()
          : Optional.of(
              RefusalLog.open(where, config.get(Settings.REFUSAL_LOG_RATE), Optional.empty()));
    } catch (IllegalArgumentException e) {
      throw new StartException("refusal-log: " + e.getMessage(), e);
    }
  }

  private Identity identity(Config config, Endings endings) {
    try {
      return Identities.of(config, rules, endings);
    } catch (IllegalArgumentException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private Store openStore(Config config, Endings endings) {
    String url = config.get(Settings.STORE);
    if (url.equals("memory")) {
      Path kept = config.get(Settings.DATA).resolve("counters");
      MemoryStore memory = MemoryStore.load(kept, Clock.system());
      endings.add(() -> memory.save(kept));
      return memory;
    }
    return endings.add(
        RedisStore.at(url)
            .deadline(config.get(Settings.STORE_DEADLINE))
            .spike(config.get(Settings.STORE_SPIKE))
            .maxInFlight(config.get(Settings.STORE_IN_FLIGHT))
            .prefix(config.get(Settings.STORE_PREFIX))
            .pages(config.get(Settings.STORE_PAGES))
            .listener(StoreListener.both(metrics.store(), activity.store()))
            .open());
  }
}
