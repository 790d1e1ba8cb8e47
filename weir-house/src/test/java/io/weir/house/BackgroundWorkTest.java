package io.weir.house;

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
 * Nothing runs in the background but as a supervised {@code BackgroundTask}, save what is named
 * here with the reason.
 */
class BackgroundWorkTest {
  private static final Set<String> STARTERS =
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

  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("io.weir.background.BackgroundTask", "is the mechanism"),
          Map.entry("io.weir.background.BackgroundTasks", "supervises the others"),
          Map.entry("io.weir.redis.Link", "rounds of the Redis client, run by TaskMonitors"),
          Map.entry("io.weir.redis.ReplyLoops", "ticks of deadlines, run by a TaskMonitor"),
          Map.entry("io.weir.redis.UnansweredCalls", "checks of one connection while calls wait"),
          Map.entry("io.weir.client.Timer", "one timer for each call that waits"),
          Map.entry("io.weir.server.HeadWatch", "one timer for each connection"),
          Map.entry("io.weir.server.admin.EventStream", "one timer for each listener"),
          Map.entry("io.weir.server.admin.Work", "threads for calls, not for rounds"),
          Map.entry("io.weir.server.cli.Running", "the hook that stops the server"),
          Map.entry("io.weir.server.gateway.Messages", "one timer for each WebSocket that ends"),
          Map.entry(
              "io.weir.server.gateway.Messages$MessageTurnstile",
              "one timer for each message that waits"),
          Map.entry("io.weir.server.gateway.Waiting", "one timer for each request that waits"),
          Map.entry(
              "io.weir.server.gateway.Watchman", "a tick of each event loop, run by a TaskMonitor"),
          Map.entry("io.weir.server.rls.Health$Watch", "one timer for each caller that watches"),
          Map.entry("io.weir.server.web.Body", "one timer for each request"),
          Map.entry("io.weir.server.web.Linger", "one timer for each connection"));

  @Test
  void onlyWhatIsNamedHere_startsThreadsOrTimers() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(place -> !place.contains("/io/weir/house/"))
            .withImportOption(place -> !place.contains("/io/weir/testkit/"))
            .importPackages("io.weir");
    Map<String, Set<String>> starts = new TreeMap<>();
    for (JavaClass one : all) {
      for (JavaAccess<?> access : one.getAccessesFromSelf()) {
        if (startsSomething(access)) {
          starts.computeIfAbsent(one.getName(), n -> new TreeSet<>()).add(called(access));
        }
      }
    }
    assertThat(starts).containsKey("io.weir.background.BackgroundTask");
    starts.keySet().removeAll(ALLOWED.keySet());
    assertThat(starts).as("use io.weir.background.BackgroundTask, or name it here").isEmpty();
  }

  private static boolean startsSomething(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    boolean schedules = access.getName().startsWith("schedule") && owner.startsWith("io.netty.");
    return schedules || STARTING_CLASSES.contains(owner) || STARTERS.contains(called(access));
  }

  private static String called(JavaAccess<?> access) {
    return access.getTargetOwner().getName() + "." + access.getName();
  }
}
