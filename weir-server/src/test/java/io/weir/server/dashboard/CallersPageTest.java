package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Running;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Callers and their keys, looked after in the browser. */
class CallersPageTest extends InBrowser {
  @Test
  void aCallerIsLookedAfter() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      put(tab, rule("api", "2/hour"));
      for (int i = 0; i < 4; i++) {
        check(server, "mallory", "GET /x");
      }
      go(tab, "callers");
      tab.sees("user mallory");
      tab.picture(PICTURES.resolve("callers.png"));
      tab.click("user mallory");
      tab.sees("0 of 2");
      tab.click("Reset");
      tab.sees("2 of 2");
      assertThat(check(server, "mallory", "GET /x")).isEqualTo(200);
      tab.click("Look again");
      tab.sees("1 of 2");
      tab.click("Grant");
      tab.sees("2 of 2");
      tab.click("Refuse");
      tab.sees("refused for");
      assertThat(check(server, "mallory", "GET /x")).isEqualTo(429);
      assertThat(check(server, "ann", "GET /x")).isEqualTo(200);
      tab.picture(PICTURES.resolve("caller.png"));
      tab.click("Lift");
      tab.until("it may be refused again", "document.querySelector('select[name=for]')");
      assertThat(check(server, "mallory", "GET /x")).isEqualTo(200);
    }
  }

  @Test
  void whatCallersCallThemselvesStaysText() {
    String evil = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>";
    try (Running server = server()) {
      Tab tab = signedIn(server);
      tab.is("window.alert = () => { window.struck = true; }");
      put(tab, rule("strict", "1/hour"));
      tab.until("listening", "document.querySelector('.dot.on')");
      for (int i = 0; i < 5; i++) {
        check(server, evil, "GET /" + evil);
      }
      tab.sees("user " + evil);
      tab.picture(PICTURES.resolve("inert.png"));
      for (String page : List.of("callers", "rules/strict", "live")) {
        go(tab, page);
        tab.sees("<script>alert(1)</script>");
      }
      tab.click("Users").click("Limit " + evil);
      tab.until(
          "the editor", "document.querySelector('dialog')?.innerText.includes('In the last hour')");
      tab.key("Escape");
      go(tab, "callers");
      tab.click("user " + evil);
      tab.sees("Counters, across rules");
      assertThat(tab.is("document.querySelectorAll('script:not([src]), img[src=x]').length"))
          .isEqualTo(0);
      assertThat(tab.is("window.struck ?? false")).isEqualTo(false);
    }
  }

  @Test
  void whatIsRefreshedCanBePressedAndKeepsTheFocus() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      put(tab, rule("api", "1/hour"));
      check(server, "mallory", "GET /x");
      check(server, "mallory", "GET /x");
      go(tab, "callers");
      tab.sees("user mallory");
      tab.is(
          "[...document.querySelectorAll('a')].find(a => a.innerText === 'user mallory').focus()");
      tab.is("window.first = document.activeElement");
      tab.until("it is refreshed", "!window.first.isConnected");
      tab.until("its focus", "document.activeElement.innerText === 'user mallory'");
      tab.press("user mallory");
      tab.is("window.asked = performance.getEntriesByType('resource').length");
      tab.until(
          "it would be refreshed",
          "performance.getEntriesByType('resource').slice(window.asked)"
              + ".filter(r => r.name.includes('/admin/refusals')).length > 1");
      tab.letGo();
      tab.sees("Counters, across rules");
    }
  }

  @Test
  void aKeysSecretIsShownOnce() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      go(tab, "keys");
      tab.sees("There are no keys yet");
      tab.type("User", "acme").type("Tier", "pro").click("Make key");
      tab.sees("The secret is shown this once.");
      String secret = tab.is("document.querySelector('.secret code').textContent").toString();
      assertThat(secret).startsWith("weir_");
      tab.picture(PICTURES.resolve("keys.png"));
      tab.click("Done");
      go(tab, "live");
      go(tab, "keys");
      tab.sees("acme");
      assertThat(tab.text()).doesNotContain(secret);
      tab.click("Revoke");
      tab.sees("This cannot be taken back.");
      tab.is("document.querySelector('dialog .danger').focus()");
      tab.key("Enter");
      tab.sees("revoked");
    }
  }
}
