package io.weir.server;

import io.weir.DecisionListener;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.admin.ActiveRules;
import io.weir.admin.NodeActivity;
import io.weir.admin.alerts.AlertWebhook;
import io.weir.admin.metrics.ServerMetrics;
import io.weir.admin.regions.RegionShareService;
import io.weir.gateway.GatewayContext;
import io.weir.gateway.WebSocketMessageRules;
import io.weir.gateway.log.AccessLog;
import io.weir.http.IdentityResolver;
import io.weir.internal.store.MemoryStore;
import io.weir.metrics.NodeHealth;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.RulesListener;
import io.weir.rules.RulesSizeLimit;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.server.refusals.RefusalLog;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import io.weir.web.DecisionHandler;
import io.weir.web.tracing.Tracing;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The state that all listeners of a node share: rules, store, limiter, caller identity and metrics.
 *
 * <p>On close, open reservations are refunded first; then the store and the rules are closed.
 */
final class ServerContext {
  final String nodeName;
  final ServerMetrics metrics = new ServerMetrics(Clock.system());
  final NodeActivity activity = new NodeActivity(Clock.system());
  final RuleSource rules;
  final Store store;
  final RegionShareService regions;
  final Limiter limiter;
  final IdentityResolver identity;
  final DecisionHandler decisionHandler;
  private final List<DecisionListener> decisionListeners = new ArrayList<>();
  private final List<Limiter> limiters = new CopyOnWriteArrayList<>();

  /**
   * @param closeSequence receives every opened resource, so that a failed start closes them too
   */
  ServerContext(ServerConfig config, CloseSequence closeSequence) {
    nodeName = config.get(ServerSettings.NODE).orElseGet(StartupSummary::hostName);
    closeSequence.add(metrics);
    checkDataDirectory(config);
    rules = openRules(config, closeSequence);
    store = openStore(config, closeSequence);
    regions = openRegions(config, closeSequence);
    metrics.beforeScrape(regions.bindMetrics(metrics.registry()));
    NodeHealth vitals =
        NodeHealth.of(regions.rules(), store, this::pendingSettlements, this::heldSlots);
    metrics.bindNode(vitals);
    config
        .get(ServerSettings.ALERT_WEBHOOK)
        .ifPresent(url -> closeSequence.add(AlertWebhook.start(URI.create(url), nodeName, vitals)));
    decisionListeners.add(metrics.decisionMetrics());
    decisionListeners.add(regions);
    if (config.get(ServerSettings.ADMIN_PORT).isPresent()) {
      decisionListeners.add(activity.decisionListener());
    }
    refusalLog(config).map(closeSequence::add).ifPresent(decisionListeners::add);
    limiter = closeSequence.add(newLimiter(regions.rules()));
    identity = identity(config, closeSequence);
    decisionHandler = new DecisionHandler(limiter, metrics.decisionMetrics(), Tracing.global());
  }

  private Limiter newLimiter(RuleSource rulesToEnforce) {
    Weir.LimiterBuilder builder = Weir.limiter(rulesToEnforce).store(store);
    decisionListeners.forEach(builder::listener);
    Limiter newLimiter = builder.build();
    limiters.add(newLimiter);
    return newLimiter;
  }

  private int pendingSettlements() {
    return limiters.stream().mapToInt(Limiter::pendingSettlements).sum();
  }

  private Map<String, Integer> heldSlots() {
    Map<String, Integer> held = new HashMap<>();
    limiters.forEach(
        limiter ->
            limiter.heldSlots().forEach((rule, slots) -> held.merge(rule, slots, Integer::sum)));
    return held;
  }

  GatewayContext gatewayContext(Optional<AccessLog> accessLog) {
    WebSocketMessageRules messages = new WebSocketMessageRules(regions.rules());
    return new GatewayContext(
        nodeName,
        decisionHandler,
        identity,
        messages,
        newLimiter(messages),
        metrics.registry(),
        accessLog);
  }

  private RegionShareService openRegions(ServerConfig config, CloseSequence closeSequence) {
    String region = config.get(ServerSettings.REGION).orElse("");
    Optional<String> link = config.get(ServerSettings.REGIONS_LINK);
    RuleSource active = new ActiveRules(rules, Clock.system());
    if (link.isEmpty()) {
      return closeSequence.add(RegionShareService.unlinked(active, region));
    }
    if (region.isEmpty()) {
      throw new StartException(
          "regions-link requires the region of this node; set it with --region");
    }
    String prefix = config.get(ServerSettings.STORE_PREFIX);
    return closeSequence.add(
        RegionShareService.linked(
            active, region, link.get(), prefix, () -> store.health().nodes()));
  }

  private static void checkDataDirectory(ServerConfig config) {
    Path data = config.get(ServerSettings.DATA);
    try {
      Files.createDirectories(data);
    } catch (IOException e) {
      throw new StartException(
          "the data directory '" + data + "' is not writable; set another with --data", e);
    }
    if (!Files.isWritable(data)) {
      throw new StartException(
          "the data directory '" + data + "' is not writable; set another with --data");
    }
  }

  private RuleSource openRules(ServerConfig config, CloseSequence closeSequence) {
    String url = config.get(ServerSettings.RULES);
    int maxBytes = config.get(ServerSettings.RULES_MAX_BYTES);
    RuleWarnings warnings = new RuleWarnings(config.get(ServerSettings.IDENTITY_HEADERS));
    RulesListener[] rulesListeners = {metrics.rulesListener(), activity.rulesListener(), warnings};
    RuleSource opened = openRules(config, closeSequence, url, maxBytes, rulesListeners);
    warnings.changed(opened.current());
    return opened;
  }

  private static RuleSource openRules(
      ServerConfig config,
      CloseSequence closeSequence,
      String url,
      int maxBytes,
      RulesListener[] rulesListeners) {
    try {
      return url.startsWith("file:")
          ? closeSequence.add(
              FileRules.open(
                  FileRules.toPath(url),
                  maxBytes == 0 ? RulesSizeLimit.defaultMaxBytes() : maxBytes,
                  rulesListeners))
          : closeSequence.add(
              DatabaseRules.open(
                  url,
                  config.get(ServerSettings.DATA).resolve("rules-copy"),
                  maxBytes == 0 ? RulesSizeLimit.defaultMaxDatabaseBytes() : maxBytes,
                  rulesListeners));
    } catch (InvalidConfigurationException | DatabaseException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static Optional<RefusalLog> refusalLog(ServerConfig config) {
    String target = config.get(ServerSettings.REFUSAL_LOG);
    try {
      return target.equals("off")
          ? Optional.empty()
          : Optional.of(
              RefusalLog.open(
                  target, config.get(ServerSettings.REFUSAL_LOG_RATE), Optional.empty()));
    } catch (IllegalArgumentException e) {
      throw new StartException("refusal-log: " + e.getMessage(), e);
    }
  }

  private IdentityResolver identity(ServerConfig config, CloseSequence closeSequence) {
    try {
      return IdentityFactory.create(config, rules, closeSequence);
    } catch (IllegalArgumentException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private Store openStore(ServerConfig config, CloseSequence closeSequence) {
    String url = config.get(ServerSettings.STORE);
    if (url.equals("memory")) {
      Path countersFile = config.get(ServerSettings.DATA).resolve("counters");
      MemoryStore memoryStore = MemoryStore.load(countersFile, Clock.system());
      closeSequence.add(() -> memoryStore.save(countersFile));
      return memoryStore;
    }
    return closeSequence.add(
        RedisStore.at(url)
            .deadline(config.get(ServerSettings.STORE_DEADLINE))
            .spikeThreshold(config.get(ServerSettings.STORE_SPIKE))
            .maxInFlight(config.get(ServerSettings.STORE_IN_FLIGHT))
            .prefix(config.get(ServerSettings.STORE_PREFIX))
            .packedBuckets(config.get(ServerSettings.STORE_PAGES))
            .listener(StoreListener.combine(metrics.storeListener(), activity.storeListener()))
            .open());
  }
}
