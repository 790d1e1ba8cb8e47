package io.weir.admin.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every page with long names, on a wide and a narrow screen, in light and dark: it is accessible
 * and nothing is cut off.
 */
class EveryPageTest extends BrowserTestBase {
  private static final String LONG_RULE =
      "orders-per-user-and-tenant-of-the-european-region-version-two";
  private static final String LONG_USER =
      "service-account-of-the-nightly-billing-export@example.org";
  private static final String LONG_ENDPOINT =
      "GET /v1/organizations/*/projects/*/environments/*/deployments";

  private static List<String> pages(String banRule) {
    return List.of(
        "live",
        "rules",
        "rules/api",
        "rules/" + LONG_RULE,
        "rules/none",
        "rules/" + banRule,
        "callers",
        "callers?user=user-1",
        "callers?user=" + LONG_USER,
        "keys",
        "nodes",
        "lab/edge",
        "lab/sync",
        "lab/skew",
        "lab/burst",
        "lab/trace",
        "lab/none",
        "none");
  }

  @Test
  void everyPage_isAccessibleAndFits() throws IOException {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      List<String> pages = pages(prepare(server, tab));
      tab.evaluate(axeScript() + "; 0");
      for (String scheme : List.of("light", "dark")) {
        tab.setColorScheme(scheme);
        check(tab.setViewport(1280, 900, false), pages, "1280-" + scheme);
        check(tab.setViewport(390, 844, true), pages, "390-" + scheme);
      }
      tab.key("Tab");
      assertThat(tab.evaluate("document.activeElement !== document.body")).isEqualTo(true);
    }
  }

  /**
   * Creates rules, keys, bans and traffic, with long and short names; returns the rule of a ban.
   */
  private static String prepare(RunningServer server, BrowserTab tab) {
    putRule(tab, rule("api", "2/hour"));
    putRule(
        tab,
        rule(LONG_RULE, "3/hour")
            .put("limit", List.of("3/hour", "1000/day"))
            .put("algorithm", "sliding-counter")
            .put("match", new JsonObject().put("endpoint", "GET /v1/organizations/**"))
            .put(
                "overrides",
                List.of(
                    new JsonObject()
                        .put("when", new JsonObject().put("user", LONG_USER))
                        .put("limit", "2/hour"))));
    putRule(tab, rule("tighter", "1/hour").put("shadow", true));
    putRule(tab, rule("old", "1/hour").put("enabled", false));
    String ban =
        send(tab, "POST", "/admin/refusals?user=user-1", new JsonObject().put("for", "10m"));
    send(tab, "POST", "/admin/refusals?user=" + LONG_USER, new JsonObject().put("for", "10m"));
    send(tab, "POST", "/admin/keys", new JsonObject().put("user", LONG_USER).put("tier", "trial"));
    tab.waitUntil("connected", "document.querySelector('.dot.on')");
    for (int i = 0; i < 12; i++) {
      decisionStatus(server, i % 3 == 2 ? LONG_USER : "user-" + i % 3, LONG_ENDPOINT + "/" + i);
    }
    tab.waitForText(LONG_RULE);
    return new JsonObject(ban).getString("rule");
  }

  private static String send(BrowserTab tab, String method, String path, JsonObject body) {
    return tab.evaluate(
            "fetch('%s', {method: '%s', body: %s, headers: {Authorization: 'Bearer %s', 'Content-Type': 'application/json'}}).then(r => r.text())"
                .formatted(path, method, BrowserTab.jsString(body.encode()), TOKEN))
        .toString();
  }

  private static void check(BrowserTab tab, List<String> pages, String variant) {
    checkNewRule(tab, variant);
    for (String page : pages) {
      openPage(tab, page);
      tab.waitUntil(
          page,
          "document.querySelector('h1') && !/Loading…|Replaying/.test(document.body.innerText)"
              + " && (!document.querySelector('input[type=range]') || document.querySelector('text.end'))");
      String name = page.replaceAll("[^a-z]+", "-") + "-" + variant;
      tab.screenshotOfWholePage(SCREENSHOTS.resolve(name + ".png"));
      assertThat(violations(tab)).as(name).isEmpty();
      assertThat(overflowing(tab)).as(name + ": elements that are wider than the page").isEmpty();
    }
  }

  private static void checkNewRule(BrowserTab tab, String variant) {
    openPage(tab, "rules");
    tab.click("New rule").click("More");
    tab.waitUntil("the preview", "/It would have refused/.test(document.body.innerText)");
    tab.screenshot(SCREENSHOTS.resolve("new-rule-" + variant + ".png"));
    assertThat(overflowing(tab)).as("new rule, " + variant).isEmpty();
    tab.key("Escape");
  }

  /** Returns the elements that are cut off or need scrolling to the side. */
  private static List<?> overflowing(BrowserTab tab) {
    String found =
        tab.evaluate(
                "JSON.stringify([...document.querySelectorAll('html, dialog, .scroll, .panel, .main, .segments, td, dd')]"
                    + ".filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth)"
                    + ".map(e => e.tagName + '.' + e.className + ' ' + e.scrollWidth + ' > ' + e.clientWidth + ': ' + e.innerText.slice(0, 60)))")
            .toString();
    return new JsonArray(found).getList();
  }

  private static String axeScript() throws IOException {
    try (InputStream script = EveryPageTest.class.getResourceAsStream("/axe.min.js")) {
      return new String(script.readAllBytes(), UTF_8);
    }
  }

  private static List<?> violations(BrowserTab tab) {
    String found =
        tab.evaluate(
                "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
                    + ".then(r => JSON.stringify({all: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' '))}))")
            .toString();
    return new JsonObject(found).getJsonArray("all").getList();
  }
}
