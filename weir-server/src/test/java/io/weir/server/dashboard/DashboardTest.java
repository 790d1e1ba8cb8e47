package io.weir.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.Running;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What holds for every page, and the lab. */
class DashboardTest extends InBrowser {
  @Test
  void everyPageIsAccessible() throws IOException {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      put(tab, rule("api", "2/hour"));
      for (int i = 0; i < 9; i++) {
        check(server, "user-" + i % 2, "GET /v1/orders/" + i);
      }
      tab.is(axe() + "; 0");
      tab.scheme("light").size(1360, 900, false);
      everyPage(tab, "light");
      tab.scheme("dark").size(390, 844, true);
      everyPage(tab, "dark-phone");
      tab.key("Tab");
      assertThat(tab.is("document.activeElement !== document.body")).isEqualTo(true);
    }
  }

  private static void everyPage(Tab tab, String looks) {
    for (String page :
        List.of(
            "live",
            "rules",
            "rules/api",
            "callers",
            "callers?user=user-1",
            "keys",
            "nodes",
            "lab")) {
      go(tab, page);
      tab.until(
          page,
          "document.querySelector('h1') && !/Loading…|Looking at/.test(document.body.innerText)");
      String name = page.replaceAll("[^a-z]+", "-") + "-" + looks;
      tab.picture(PICTURES.resolve(name + ".png"));
      assertThat(violations(tab)).as(name).isEmpty();
      assertThat(tab.is("document.documentElement.scrollWidth <= innerWidth"))
          .as(name + " fits")
          .isEqualTo(true);
    }
  }

  private static String axe() throws IOException {
    try (InputStream script = DashboardTest.class.getResourceAsStream("/axe.min.js")) {
      return new String(script.readAllBytes(), UTF_8);
    }
  }

  private static List<?> violations(Tab tab) {
    String found =
        tab.is(
                "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
                    + ".then(r => JSON.stringify({all: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' '))}))")
            .toString();
    return new JsonObject(found).getJsonArray("all").getList();
  }

  @Test
  void aStoreThatIsGoneIsSaidOnEveryPage() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Running server = server("store", redis.uri())) {
      Tab tab = signedIn(server);
      put(tab, rule("api", "100000/hour"));
      tab.until(
          "store latency",
          () -> check(server, "ann", "GET /x") > 0,
          "/[0-9.]+ .s p99/.test(document.querySelector('.tiles').innerText.replace(/\\s+/g, ' '))");
      redis.kill();
      tab.until(
          "the banner",
          () -> check(server, "ann", "GET /x") > 0,
          "document.querySelector('#degraded')");
      tab.sees("The store does not answer");
      go(tab, "nodes");
      tab.sees("rules answer by their posture");
      tab.picture(PICTURES.resolve("degraded.png"));
    }
  }

  @Test
  void itIsLightAndSoonThere() {
    try (Running server = server()) {
      double soonest = Double.MAX_VALUE;
      for (int tries = 0; tries < 3 && soonest >= 1000; tries++) {
        Tab tab = tab();
        tab.open(url(server)).type("Admin token", TOKEN).key("Enter");
        tab.sees("Nobody was refused since this page was opened");
        assertThat(tab.bytes()).as("over the wire").isLessThan(300_000);
        Object painted =
            tab.is("performance.getEntriesByName('first-contentful-paint')[0].startTime");
        soonest = Math.min(soonest, ((Number) painted).doubleValue());
      }
      assertThat(soonest).as("first paint in ms").isLessThan(1000);
    }
  }

  @Test
  void aSliderMovesTheLab() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      go(tab, "lab/sync");
      figure(tab, "1.8×");
      tab.picture(PICTURES.resolve("lab-sync.png"));
      tab.is("document.querySelector('input[name=interval]').focus()");
      tab.key("End");
      figure(tab, "3×");
      tab.key("Home");
      figure(tab, "1×");
      tab.click("Window edge");
      figure(tab, "2×");
      tab.picture(PICTURES.resolve("lab-edge.png"));
    }
  }

  /** The factor the lab found. */
  private static void figure(Tab tab, String factor) {
    tab.until(
        factor,
        "[...document.querySelectorAll('.tile')].some(t => t.innerText.replace(/\\s+/g, ' ') === '%s factor')"
            .formatted(factor));
  }
}
