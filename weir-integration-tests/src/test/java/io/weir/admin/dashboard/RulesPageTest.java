package io.weir.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules and live pages in a browser. */
class RulesPageTest extends BrowserTestBase {
  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void limitFromLivePage_isEnforcedAndUndone() throws IOException {
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext("/", this::hello);
    upstream.start();
    String upstreamUrl = "http://127.0.0.1:" + upstream.getAddress().getPort();
    try (RunningServer server =
        startServer("gateway-port", "0", "gateway-host", "127.0.0.1", "upstream", upstreamUrl)) {
      BrowserTab tab = openTab();
      tab.open(url(server)).type("Admin token", "wrong").click("Sign in");
      tab.waitForText("Wrong admin token");
      tab.type("Admin token", TOKEN).type("Your name", "ann").key("Enter");
      tab.waitForText("No refusals since this page was opened");
      for (int i = 0; i < 60; i++) {
        assertThat(gatewayStatus(server, i)).isEqualTo(200);
      }
      tab.click("Limit GET /v1/products/*").type("Limit", "3/hour");
      tab.waitForText("It would have refused 57 of 60 requests");
      tab.screenshot(SCREENSHOTS.resolve("limit.png"));
      tab.click("Create rule");
      assertThat(Await.until(TIMEOUT, "refused", () -> gatewayStatus(server, 7) == 429))
          .isLessThan(PROPAGATION_TIME);
      tab.waitUntil(
          "the refusal",
          "[...document.querySelectorAll('table')].at(-1).innerText.includes('get-v1-products')");
      tab.screenshot(SCREENSHOTS.resolve("watch.png"));
      tab.click("Undo");
      assertThat(Await.until(TIMEOUT, "allowed", () -> gatewayStatus(server, 7) == 200))
          .isLessThan(PROPAGATION_TIME);
      openPage(tab, "rules/get-v1-products");
      tab.waitForText("404: there is no rule “get-v1-products”");
      tab.waitForText("ann deleted it");
      tab.click("Restore");
      tab.waitForText("Decisions");
      Await.until(TIMEOUT, "refused again", () -> gatewayStatus(server, 7) == 429);
    } finally {
      upstream.stop(0);
    }
  }

  private void hello(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private int gatewayStatus(RunningServer server, int product) {
    URI uri = URI.create("http://127.0.0.1:" + server.port("gateway") + "/v1/products/" + product);
    try {
      return client
          .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void ruleEditor_savesFormAndYaml() {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      openPage(tab, "rules");
      tab.waitForText("There are no rules yet");
      tab.click("New rule").type("Name", "Not a name");
      tab.waitForText("must be 1 to 64 characters of a-z, 0-9 and -");
      tab.type("Name", "api").type("Limit", "100/fortnight");
      tab.waitForText("fortnight");
      tab.type("Limit", "100/minute");
      tab.waitUntil(
          "the rule is valid", "!document.querySelector('dialog button[type=submit]').disabled");
      tab.click("YAML");
      tab.waitUntil(
          "YAML", "document.querySelector('textarea')?.value.includes('limit: 100/minute')");
      tab.type("The rule as YAML", "id: api\nper: [user]\nlimt: 5/minute\n");
      tab.waitForText("did you mean limit?");
      tab.screenshot(SCREENSHOTS.resolve("yaml.png"));
      tab.type("The rule as YAML", "id: api\nper: [user]\nlimit: 5/minute\n").click("Create rule");
      tab.waitForText("ann created it");
      tab.type("Limit", "6/minute").click("Save");
      tab.waitForText("ann changed it");
      tab.screenshot(SCREENSHOTS.resolve("rule.png"));
      tab.click("Undo this");
      tab.waitUntil("undone", "document.querySelector('input[name=limit]')?.value === '5/minute'");
      openPage(tab, "rules");
      tab.click("Shadow of api");
      tab.waitForText("Stop enforcing api?");
      tab.click("Cancel");
      assertThat(decisionStatus(server, "shadow-asked", "GET /x")).isEqualTo(200);
      assertThat(tab.evaluate("document.querySelector('[role=switch]').ariaChecked"))
          .isEqualTo("false");
      tab.click("Shadow of api").click("Switch to shadow");
      tab.waitForText("api is now in shadow mode");
      tab.waitUntil("shadow", "document.querySelector('[role=switch]').ariaChecked === 'true'");
      tab.click("Shadow of api");
      tab.waitForText("api is now enforced");
      tab.click("api").click("Shadow: counted, not enforced").click("Save");
      tab.waitForText("Stop enforcing api?");
      tab.click("Switch to shadow");
      tab.waitForText("shadow: true");
      for (String unknown : List.of("none", "rules/none", "rules/%", "lab/none")) {
        openPage(tab, unknown);
        tab.waitForText("404: there is no");
      }
    }
  }

  @Test
  void fieldsThatTheFormDoesNotEdit_areKept() {
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      putRule(
          tab,
          new JsonObject()
              .put("id", "exempt")
              .put("action", "allow")
              .put("match", new JsonObject().put("user", "boss")));
      putRule(tab, rule("month", "9/month").put("zone", "Europe/Berlin").put("missing", "refuse"));
      openPage(tab, "rules");
      tab.waitForText("allows all");
      assertThat(tab.text()).doesNotContain("undefined");
      openPage(tab, "rules/month");
      tab.type("Limit", "8/month").click("Save");
      tab.waitForText("ann changed it");
      tab.click("YAML");
      tab.waitUntil(
          "kept fields",
          "['zone: Europe/Berlin', 'missing: refuse', 'limit: 8/month'].every(text => document.querySelector('textarea')?.value.includes(text))");
      openPage(tab, "rules/exempt");
      tab.click("Enabled").click("Save");
      tab.click("Disable");
      tab.waitForText("enabled: false");
      tab.click("YAML");
      tab.waitUntil(
          "the action", "document.querySelector('textarea')?.value.includes('action: allow')");
    }
  }

  @Test
  void syncedRule_showsOvershoot() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        RunningServer server = startServer("store", redis.uri());
        RunningServer other = startServer("store", redis.uri())) {
      BrowserTab tab = signedIn(server);
      putRule(
          tab,
          rule("near", "100/minute").put("algorithm", "fixed-window").put("consistency", "synced"));
      assertThat(decisionStatus(other, "ann", "GET /x")).isEqualTo(200);
      openPage(tab, "nodes");
      tab.waitForText("1 other node uses this store");
      openPage(tab, "rules");
      tab.waitForText("all nodes together may exceed the limit by up to 100 permits");
      tab.screenshot(SCREENSHOTS.resolve("overshoot.png"));
      openPage(tab, "rules/near");
      tab.waitForText(
          "Consistency synced: all nodes together may exceed the limit by up to 100 permits");
    }
  }

  @Test
  void tenThousandRules_staysResponsive() {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      rules.add(
          Rule.named("rule-" + i)
              .match("endpoint", "GET /v" + i + "/**")
              .per("user")
              .limit("5/hour")
              .build());
    }
    try (DatabaseRules database = DatabaseRules.open(h2Url())) {
      database.replace(rules, "test", database.current().revision());
    }
    try (RunningServer server = startServer()) {
      BrowserTab tab = signedIn(server);
      openPage(tab, "rules");
      tab.waitForText("10,000 rules");
      tab.click("Next");
      tab.waitForText("51–100");
      tab.type("Find rules", "v7777/");
      tab.waitForText("1 of 10,000 rules");
      tab.click("rule-7777");
      tab.type("Limit", "1/hour").click("Save");
      tab.waitForText("ann changed it");
      decisionStatus(server, "bob", "GET /v7777/x");
      Duration reached =
          Await.until(
              TIMEOUT, "refused", () -> decisionStatus(server, "bob", "GET /v7777/x") == 429);
      assertThat(reached).isLessThan(PROPAGATION_TIME);
      openPage(tab, "live");
      tab.waitUntil(
          "the page is updated",
          () -> decisionStatus(server, "bob", "GET /v1/x") > 0,
          "document.querySelector('table')?.innerText.includes('rule-1')");
      tab.screenshot(SCREENSHOTS.resolve("many.png"));
      assertThat(tab.evaluate("document.querySelectorAll('*').length")).isInstanceOf(Integer.class);
      assertThat((Integer) tab.evaluate("document.querySelectorAll('*').length")).isLessThan(5000);
    }
  }
}
