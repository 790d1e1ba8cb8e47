package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Checks that background work runs as a supervised {@code BackgroundTask}. The exceptions are
 * listed here, each with its reason.
 */
class BackgroundThreadsTest {
  private static final Set<String> STARTING_METHODS =
      Set.of(
          "java.lang.Thread.<init>",
          "java.util.Timer.<init>",
          "java.util.concurrent.ThreadPoolExecutor.<init>",
          "java.util.concurrent.ScheduledThreadPoolExecutor.<init>",
          "java.util.concurrent.ForkJoinPool.<init>",
          "java.util.concurrent.CompletableFuture.delayedExecutor",
          "java.util.concurrent.CompletableFuture.runAsync",
          "java.util.concurrent.CompletableFuture.supplyAsync",
          "io.vertx.core.Vertx.setPeriodic",
          "io.vertx.core.Vertx.setTimer",
          "io.vertx.core.Vertx.createSharedWorkerExecutor");

  private static final Set<String> STARTING_CLASSES = Set.of("java.util.concurrent.Executors");

  private static final Map<String, String> ALLOWED_CLASSES =
      Map.ofEntries(
          Map.entry("io.weir.internal.background.BackgroundTask", "implements background tasks"),
          Map.entry("io.weir.internal.background.BackgroundTasks", "supervises background tasks"),
          Map.entry(
              "io.weir.redis.RedisConnection",
              "periodic work of the Redis client, supervised by TaskMonitors"),
          Map.entry("io.weir.redis.ReplyEventLoops", "deadline ticks, supervised by a TaskMonitor"),
          Map.entry(
              "io.weir.redis.ReplyTimeoutHandler",
              "checks of one connection while calls are pending"),
          Map.entry("io.weir.client.DelayTimer", "one timer for each waiting call"),
          Map.entry("io.weir.server.HeaderTimeoutHandler", "one timer for each connection"),
          Map.entry("io.weir.admin.EventStream", "one timer for each subscriber"),
          Map.entry("io.weir.admin.AdminWorkerPool", "threads for requests, not for periodic work"),
          Map.entry("io.weir.cli.ForegroundServer", "the shutdown hook of the server"),
          Map.entry("io.weir.gateway.WebSocketBridge", "one timer for each closing WebSocket"),
          Map.entry(
              "io.weir.gateway.WebSocketBridge$LimiterMessageAdmission",
              "one timer for each delayed message"),
          Map.entry("io.weir.gateway.DelayedRequests", "one timer for each delayed request"),
          Map.entry("io.weir.gateway.UpstreamExchange", "one timer for each delayed retry"),
          Map.entry("io.weir.gateway.HealthChecks", "periodic, supervised by a TaskMonitor"),
          Map.entry(
              "io.weir.gateway.TimeoutWheel",
              "a tick of each event loop, supervised by a TaskMonitor"),
          Map.entry(
              "io.weir.server.envoy.GrpcHealthService$HealthWatch",
              "one timer for each watching client"),
          Map.entry("io.weir.web.BoundedBodyReader", "one timer for each request"),
          Map.entry("io.weir.web.RequestDrainer", "one timer for each connection"));

  @Test
  void onlyAllowedClasses_startThreadsOrTimers() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(place -> !place.contains("/io/weir/architecture/"))
            .withImportOption(place -> !place.contains("/io/weir/testkit/"))
            .importPackages("io.weir");
    Map<String, Set<String>> starts = new TreeMap<>();
    for (JavaClass one : all) {
      for (JavaAccess<?> access : one.getAccessesFromSelf()) {
        if (startsThreadOrTimer(access)) {
          starts.computeIfAbsent(one.getName(), n -> new TreeSet<>()).add(qualifiedName(access));
        }
      }
    }
    assertThat(starts).containsKey("io.weir.internal.background.BackgroundTask");
    starts.keySet().removeAll(ALLOWED_CLASSES.keySet());
    assertThat(starts)
        .as("use io.weir.internal.background.BackgroundTask, or list the class here")
        .isEmpty();
  }

  private static boolean startsThreadOrTimer(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    boolean schedules = access.getName().startsWith("schedule") && owner.startsWith("io.netty.");
    return schedules
        || STARTING_CLASSES.contains(owner)
        || STARTING_METHODS.contains(qualifiedName(access));
  }

  private static String qualifiedName(JavaAccess<?> access) {
    return access.getTargetOwner().getName() + "." + access.getName();
  }
}
