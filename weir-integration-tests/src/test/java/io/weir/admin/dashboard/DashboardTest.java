package io.weir.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.redis.RedisProcess;
import org.junit.jupiter.api.Test;

/** Degraded state, load time, and the lab page. */
class DashboardTest extends BrowserTestBase {
  @Test
  void lostStore_showsBannerOnEveryPage() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        RunningServer server = startServer("store", redis.uri())) {
      BrowserTab tab = signedIn(server);
      putRule(tab, rule("api", "100000/hour"));
      tab.waitUntil(
          "store latency",
          () -> decisionStatus(server, "ann", "GET /x") > 0,
          "/[0-9.]+ .s p99/.test(document.querySelector('.tiles').innerText.replace(/\\s+/g, ' '))");
      redis.kill();
      tab.waitUntil(
          "the banner",
          () -> decisionStatus(server, "ann", "GET /x") > 0,
          "document.querySelector('#degraded')");
      tab.waitForText("The store is unavailable");
      openPage(tab, "nodes");
      tab.waitForText("rules use their fallback");
      tab.screenshot(SCREENSHOTS.resolve("degraded.png"));
    }
  }

  @Test
  void firstPage_isSmallAndFast() {
    try (RunningServer server = startServer()) {
      double fastest = Double.MAX_VALUE;
      for (int tries = 0; tries < 3 && fastest >= 1000; tries++) {
        BrowserTab tab = openTab();
        tab.open(url(server)).type("Admin token", TOKEN).key("Enter");
        tab.waitForText("No refusals since this page was opened");
        assertThat(tab.bytes()).as("transferred bytes").isLessThan(300_000);
        Object painted =
            tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
        fastest = Math.min(fastest, ((Number) painted).doubleValue());
      }
      assertThat(fastest).as("first paint in ms").isLessThan(1000);
    }
  }

  @Test
  void labSlider_updatesTheFigures() {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      openPage(tab, "lab/sync");
      waitForFactor(tab, "1.8×");
      tab.screenshot(SCREENSHOTS.resolve("lab-sync.png"));
      tab.evaluate("document.querySelector('input[name=interval]').focus()");
      tab.key("End");
      waitForFactor(tab, "3×");
      tab.key("Home");
      waitForFactor(tab, "1×");
      tab.click("Window edge");
      waitForFactor(tab, "2×");
      tab.screenshot(SCREENSHOTS.resolve("lab-edge.png"));
    }
  }

  /** Waits until the lab shows this factor. */
  private static void waitForFactor(BrowserTab tab, String factor) {
    tab.waitUntil(
        factor,
        "[...document.querySelectorAll('.tile')].some(t => t.innerText.replace(/\\s+/g, ' ') === '%s factor')"
            .formatted(factor));
  }
}
