package io.weir.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.rules.FileRules;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.Running;
import io.weir.server.cli.DemoTasks;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
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

/** Every background task of the code survives rounds that fail, and shows them. */
@Timeout(180)
@Tag("slow")
class EveryTaskTest {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final Pattern TASK =
      Pattern.compile("(?:BackgroundTask\\.named|onDemand|\\bevery|periodic)\\(\\s*\"([^\"]+)\"");
  private static final Pattern HEART_TASK = Pattern.compile("task\\(\\s*\"([^\"]+)\"");

  private static final Set<String> ON_DEMAND =
      Set.of("store-deadlines", "redis-connect", "redis-timers", "limiter-timers");

  private final Path folder;
  private final Map<String, Integer> planted = new ConcurrentHashMap<>();

  EveryTaskTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void plantNothing() {
    TaskMonitor.afterRound = name -> {};
  }

  @Test
  void everyTask_survivesFailedRounds_andShowsThem() throws Exception {
    Set<String> names = named();
    assertThat(names).hasSizeGreaterThan(7);
    Map<String, Long> before = new TreeMap<>();
    for (String name : names) {
      before.put(name, BackgroundTasks.failures(name));
      planted.put(name, 2);
    }
    Soon.until(SOON, "no task of another test runs", () -> BackgroundTasks.statuses().isEmpty());
    Path file = Files.writeString(folder.resolve("watched.yaml"), "rules: []");
    try (LogLines log = new LogLines();
        RedisProcess redis = RedisProcess.start();
        FileRules rules = FileRules.open(file);
        Running server = start(redis.uri());
        AutoCloseable demo = DemoTasks.start(server.port("http"))) {
      assertThat(demo).isNotNull();
      TaskMonitor.afterRound = this::fail;
      redis.command("CLIENT", "KILL", "TYPE", "normal"); // so that it connects again
      Soon.until(SOON, "timers and deadlines have work", () -> occupied(server, before));
      names.forEach(
          name ->
              Soon.until(
                  SOON,
                  name + " fails twice",
                  () -> BackgroundTasks.failures(name) == before.getOrDefault(name, 0L) + 2));
      Soon.until(
          SOON,
          "all are well again",
          () -> occupied(server, before) && BackgroundTasks.unhealthy().isEmpty());
      assertThat(BackgroundTasks.statuses()).extracting(TaskStatus::name).containsAll(names);
      assertThat(health(server).getJsonArray("background")).isEmpty();
      String page = get(server, "/metrics");
      for (String name : names) {
        String failures = "weir_background_task_failures_total{task=\"" + name + "\"} ";
        assertThat(page).contains(failures + (double) (before.getOrDefault(name, 0L) + 2));
        assertThat(page).contains("weir_background_task_overdue{task=\"" + name + "\"} 0.0");
        assertThat(log.lines())
            .anyMatch(line -> line.startsWith("background task " + name + " failed, it goes on"));
      }
      assertThat(rules.current().rules()).isEmpty();
      aTaskThatFailsForEver_isOverdue(server);
    }
  }

  /** Asks what those tasks have to do that run only when there is need of them. */
  private static boolean occupied(Running server, Map<String, Long> before) {
    server.post("/v1/check", Running.of("anna", 1));
    server.post("/v1/reserve", "{\"attributes\":{\"user\":\"anna\"},\"ttl_ms\":100}");
    Soon.pass(Duration.ofMillis(300)); // else the next request would cancel it, not the timer
    return ON_DEMAND.stream()
        .allMatch(name -> BackgroundTasks.failures(name) >= before.getOrDefault(name, 0L) + 2);
  }

  private void aTaskThatFailsForEver_isOverdue(Running server) throws Exception {
    planted.put("traffic-sampler", Integer.MAX_VALUE);
    Soon.until(
        SOON,
        "it is overdue",
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
    planted.put("traffic-sampler", 0);
    Soon.until(SOON, "it is well again", () -> BackgroundTasks.unhealthy().isEmpty());
    assertThat(health(server).getString("status")).isEqualTo("ok");
  }

  private Running start(String redis) {
    return Running.start(
        folder,
        "rules: []",
        "rules",
        rules(),
        "store",
        redis,
        "gateway-port",
        "0",
        "upstream",
        "http://127.0.0.1:1",
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

  /** A database with a rule whose counters are leased, which needs timers. */
  private String rules() {
    String url = "jdbc:h2:file:" + folder.resolve("rules");
    try (DatabaseRules database = DatabaseRules.open(url)) {
      Rules.read("rules", "rules: [{id: all, limit: 1000/second, consistency: synced}]")
          .forEach(rule -> database.put(rule, "test", 0));
    }
    return url;
  }

  /** An error on the first rounds of each task that was told to fail. */
  private void fail(String name) {
    int left = planted.getOrDefault(name, 0);
    if (left > 0) {
      planted.put(name, left - 1);
      if (left % 2 == 0) {
        throw new StackOverflowError();
      }
      throw new OutOfMemoryError("on purpose");
    }
  }

  /** The names of all tasks that the sources of this project start. */
  private static Set<String> named() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      for (Path file :
          files
              .filter(f -> f.toString().endsWith(".java"))
              .filter(f -> f.toString().contains("/src/main/java/"))
              .toList()) {
        String source = Files.readString(file);
        TASK.matcher(source).results().forEach(found -> names.add(found.group(1)));
        if (String.valueOf(file.getFileName()).equals("Heart.java")) {
          HEART_TASK.matcher(source).results().forEach(found -> names.add(found.group(1)));
        }
      }
    }
    return names;
  }

  private static JsonObject health(Running server) throws Exception {
    return new JsonObject(get(server, "/health"));
  }

  private static String get(Running server, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port("admin") + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
        .body();
  }
}
