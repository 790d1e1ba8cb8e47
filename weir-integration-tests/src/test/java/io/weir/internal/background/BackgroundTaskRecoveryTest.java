package io.weir.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.cli.DemoTrafficStarter;
import io.weir.rules.FileRules;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every background task survives failing rounds and reports them. */
@Timeout(180)
@Tag("slow")
class BackgroundTaskRecoveryTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final Pattern TASK_NAME =
      Pattern.compile(
          "(?:BackgroundTask\\.named|[oO]nDemand|\\bevery|\\brunEvery|periodic)\\(\\s*\"([^\"]+)\"");
  private static final Pattern SAMPLER_TASK_NAME = Pattern.compile("task\\(\\s*\"([^\"]+)\"");

  private static final Set<String> ON_DEMAND =
      Set.of("store-deadlines", "redis-connect", "redis-timers", "limiter-timers");

  private final Path folder;
  private final Map<String, Integer> failuresLeft = new ConcurrentHashMap<>();

  BackgroundTaskRecoveryTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void removeFailureInjection() {
    TaskMonitor.afterRound = name -> {};
  }

  @Test
  void everyTask_survivesAndReportsFailedRounds() throws Exception {
    Set<String> names = taskNamesInSources();
    assertThat(names).hasSizeGreaterThan(7).containsAll(ON_DEMAND);
    Map<String, Long> before = new TreeMap<>();
    for (String name : names) {
      before.put(name, BackgroundTasks.failures(name));
      failuresLeft.put(name, 2);
    }
    Await.until(
        TIMEOUT, "no task of another test is running", () -> BackgroundTasks.statuses().isEmpty());
    Path file = Files.writeString(folder.resolve("watched.yaml"), "rules: []");
    try (CapturedLogs log = new CapturedLogs();
        RedisProcess redis = RedisProcess.start();
        FileRules rules = FileRules.open(file);
        RunningServer server = startServer(redis.uri());
        AutoCloseable demo = DemoTrafficStarter.start(server.port("http"))) {
      assertThat(demo).isNotNull();
      TaskMonitor.afterRound = this::injectFailure;
      redis.command("CLIENT", "KILL", "TYPE", "normal"); // forces a reconnect
      Await.until(
          TIMEOUT, "all tasks that run on demand have run", () -> allTasksHadWork(server, before));
      names.forEach(
          name ->
              Await.until(
                  TIMEOUT,
                  name + " fails twice",
                  () -> BackgroundTasks.failures(name) == before.getOrDefault(name, 0L) + 2));
      Await.until(
          TIMEOUT,
          "all tasks have recovered",
          () -> allTasksHadWork(server, before) && BackgroundTasks.unhealthy().isEmpty());
      assertThat(BackgroundTasks.statuses()).extracting(TaskStatus::name).containsAll(names);
      assertThat(health(server).getJsonArray("background")).isEmpty();
      String page = get(server, "/metrics");
      for (String name : names) {
        String failures = "weir_background_task_failures_total{task=\"" + name + "\"} ";
        assertThat(page).contains(failures + (double) (before.getOrDefault(name, 0L) + 2));
        assertThat(page).contains("weir_background_task_overdue{task=\"" + name + "\"} 0.0");
        assertThat(log.lines())
            .anyMatch(
                line -> line.startsWith("background task " + name + " failed and will run again"));
      }
      assertThat(rules.current().rules()).isEmpty();
      assertPermanentlyFailingTaskIsOverdue(server);
    }
  }

  /** Sends requests that give work to tasks which run only on demand. */
  private static boolean allTasksHadWork(RunningServer server, Map<String, Long> before) {
    server.post("/v1/check", RunningServer.checkBody("anna", 1));
    server.post("/v1/reserve", "{\"attributes\":{\"user\":\"anna\"},\"ttl_ms\":100}");
    Await.sleep(Duration.ofMillis(300)); // otherwise the next request cancels it before the timer
    return ON_DEMAND.stream()
        .allMatch(name -> BackgroundTasks.failures(name) >= before.getOrDefault(name, 0L) + 2);
  }

  private void assertPermanentlyFailingTaskIsOverdue(RunningServer server) throws Exception {
    failuresLeft.put("traffic-sampler", Integer.MAX_VALUE);
    Await.until(
        TIMEOUT,
        "the task is overdue",
        () ->
            BackgroundTasks.unhealthy().stream()
                .anyMatch(task -> task.name().equals("traffic-sampler") && task.overdue()));
    JsonObject health = health(server);
    assertThat(health.getString("status")).isEqualTo("degraded");
    JsonArray tasks = health.getJsonArray("background");
    assertThat(tasks).hasSize(1);
    assertThat(tasks.getJsonObject(0).getString("task")).isEqualTo("traffic-sampler");
    assertThat(tasks.getJsonObject(0).getBoolean("overdue")).isTrue();
    assertThat(tasks.getJsonObject(0).getString("failure")).contains("OutOfMemoryError");
    assertThat(get(server, "/metrics"))
        .contains("weir_background_task_overdue{task=\"traffic-sampler\"} 1.0");
    failuresLeft.put("traffic-sampler", 0);
    Await.until(TIMEOUT, "the task has recovered", () -> BackgroundTasks.unhealthy().isEmpty());
    assertThat(health(server).getString("status")).isEqualTo("ok");
  }

  private RunningServer startServer(String redis) {
    return RunningServer.start(
        folder,
        "rules: []",
        "rules",
        createRulesDatabase(),
        "store",
        redis,
        "gateway-port",
        "0",
        "upstream",
        "http://127.0.0.1:1;health-check=/healthz;health-interval=1s",
        "access-log",
        "json",
        "gateway-access-log-target",
        "file:" + folder.resolve("access"),
        "admin-port",
        "0",
        "region",
        "eu",
        "regions-link",
        redis,
        "refusal-log",
        "file:" + folder.resolve("refusals"),
        "alert-webhook",
        "http://127.0.0.1:1/hook",
        "identity-jwt-jwks",
        "http://127.0.0.1:1/keys");
  }

  /** Creates a database with a synced rule, which needs timers. */
  private String createRulesDatabase() {
    String url = "jdbc:h2:file:" + folder.resolve("rules");
    try (DatabaseRules database = DatabaseRules.open(url)) {
      Rules.read("rules", "rules: [{id: all, limit: 1000/second, consistency: synced}]")
          .forEach(rule -> database.put(rule, "test", 0));
    }
    return url;
  }

  /** Throws an error in the first rounds of each task that is configured to fail. */
  private void injectFailure(String name) {
    int left = failuresLeft.getOrDefault(name, 0);
    if (left > 0) {
      failuresLeft.put(name, left - 1);
      if (left % 2 == 0) {
        throw new StackOverflowError();
      }
      throw new OutOfMemoryError("on purpose");
    }
  }

  /** Returns the names of all tasks that the sources of this project start. */
  private static Set<String> taskNamesInSources() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      for (Path file :
          files
              .filter(f -> f.toString().endsWith(".java"))
              .filter(f -> f.toString().contains("/src/main/java/"))
              .toList()) {
        String source = Files.readString(file);
        TASK_NAME.matcher(source).results().forEach(found -> names.add(found.group(1)));
        if (String.valueOf(file.getFileName()).equals("TrafficSampler.java")) {
          SAMPLER_TASK_NAME.matcher(source).results().forEach(found -> names.add(found.group(1)));
        }
      }
    }
    return names;
  }

  private static JsonObject health(RunningServer server) throws Exception {
    return new JsonObject(get(server, "/health"));
  }

  private static String get(RunningServer server, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port("admin") + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
        .body();
  }
}
