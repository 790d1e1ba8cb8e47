package io.weir.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The callers and keys pages in a browser. */
class CallersPageTest extends BrowserTestBase {
  @Test
  void callerPage_resetsRefundsAndBans() {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      putRule(tab, rule("api", "2/hour"));
      for (int i = 0; i < 4; i++) {
        decisionStatus(server, "mallory", "GET /x");
      }
      openPage(tab, "callers");
      tab.waitForText("user mallory");
      tab.screenshot(SCREENSHOTS.resolve("callers.png"));
      tab.click("user mallory");
      tab.waitForText("0 of 2");
      tab.click("Reset");
      tab.waitForText("2 of 2");
      assertThat(decisionStatus(server, "mallory", "GET /x")).isEqualTo(200);
      tab.click("Refresh");
      tab.waitForText("1 of 2");
      tab.click("Refund");
      tab.waitForText("2 of 2");
      tab.click("Ban");
      tab.waitForText("banned for");
      assertThat(decisionStatus(server, "mallory", "GET /x")).isEqualTo(429);
      assertThat(decisionStatus(server, "ann", "GET /x")).isEqualTo(200);
      tab.screenshot(SCREENSHOTS.resolve("caller.png"));
      assertThat(tab.text()).contains("2/hour").doesNotContain("100000", "refuse-");
      openPage(tab, "rules");
      tab.waitForText("refuses everything");
      assertThat(tab.text()).contains("Ban until").doesNotContain("100000", "refuse-");
      tab.evaluate(
          "[...document.querySelectorAll('a')].find(a => /^Ban/.test(a.innerText)).click()");
      tab.waitForText("All requests of user mallory are refused");
      tab.waitForText("ann banned user mallory");
      assertThat(tab.text()).doesNotContain("100000", "refuse-");
      openPage(tab, "callers?user=mallory");
      tab.click("Lift ban");
      tab.waitUntil("the ban form is back", "document.querySelector('select[name=for]')");
      assertThat(decisionStatus(server, "mallory", "GET /x")).isEqualTo(200);
    }
  }

  @Test
  void hostileCallerName_isShownAsText() {
    String hostileName = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>";
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      tab.evaluate("window.alert = () => { window.alertCalled = true; }");
      putRule(tab, rule("strict", "1/hour"));
      tab.waitUntil("connected", "document.querySelector('.dot.on')");
      for (int i = 0; i < 5; i++) {
        decisionStatus(server, hostileName, "GET /" + hostileName);
      }
      tab.waitForText("user " + hostileName);
      tab.screenshot(SCREENSHOTS.resolve("inert.png"));
      for (String page : List.of("callers", "rules/strict", "live")) {
        openPage(tab, page);
        tab.waitForText("<script>alert(1)</script>");
      }
      tab.click("Users").click("Limit " + hostileName);
      tab.waitUntil(
          "the editor", "document.querySelector('dialog')?.innerText.includes('In the last hour')");
      tab.key("Escape");
      openPage(tab, "callers");
      tab.click("user " + hostileName);
      tab.waitForText("Counters of all rules");
      assertThat(tab.evaluate("document.querySelectorAll('script:not([src]), img[src=x]').length"))
          .isEqualTo(0);
      assertThat(tab.evaluate("window.alertCalled ?? false")).isEqualTo(false);
    }
  }

  @Test
  void refreshedList_keepsFocusAndClicks() {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      putRule(tab, rule("api", "1/hour"));
      decisionStatus(server, "mallory", "GET /x");
      decisionStatus(server, "mallory", "GET /x");
      openPage(tab, "callers");
      tab.waitForText("user mallory");
      tab.evaluate(
          "[...document.querySelectorAll('a')].find(a => a.innerText === 'user mallory').focus()");
      tab.evaluate("window.first = document.activeElement");
      tab.waitUntil("the list is refreshed", "!window.first.isConnected");
      tab.waitUntil("the focus is kept", "document.activeElement.innerText === 'user mallory'");
      tab.press("user mallory");
      tab.evaluate("window.asked = performance.getEntriesByType('resource').length");
      tab.waitUntil(
          "the list would be refreshed",
          "performance.getEntriesByType('resource').slice(window.asked)"
              + ".filter(r => r.name.includes('/admin/refusals')).length > 1");
      tab.release();
      tab.waitForText("Counters of all rules");
    }
  }

  @Test
  void apiKeySecret_isShownOnce() {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      openPage(tab, "keys");
      tab.waitForText("There are no keys yet");
      tab.type("User", "acme").type("Tier", "pro").click("Create key");
      tab.waitForText("The secret is shown only once.");
      String secret = tab.evaluate("document.querySelector('.secret code').textContent").toString();
      assertThat(secret).startsWith("weir_");
      tab.screenshot(SCREENSHOTS.resolve("keys.png"));
      tab.click("Done");
      openPage(tab, "live");
      openPage(tab, "keys");
      tab.waitForText("acme");
      assertThat(tab.text()).doesNotContain(secret);
      tab.click("Revoke");
      tab.waitForText("This cannot be undone.");
      tab.evaluate("document.querySelector('dialog .danger').focus()");
      tab.key("Enter");
      tab.waitForText("revoked");
    }
  }
}
