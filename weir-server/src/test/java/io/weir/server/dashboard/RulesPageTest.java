package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.Running;
import io.weir.testkit.Soon;
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

/** Rules made, changed, tried and taken back in the browser. */
class RulesPageTest extends InBrowser {
  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void seeClickLimitWatchUndo() throws IOException {
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext("/", this::hello);
    upstream.start();
    String behind = "http://127.0.0.1:" + upstream.getAddress().getPort();
    try (Running server =
        server("gateway-port", "0", "gateway-host", "127.0.0.1", "upstream", behind)) {
      Tab tab = tab();
      tab.open(url(server)).type("Admin token", "wrong").click("Sign in");
      tab.sees("That is not the admin token");
      tab.type("Admin token", TOKEN).type("Your name", "ann").key("Enter");
      tab.sees("Nobody was refused since this page was opened");
      for (int i = 0; i < 60; i++) {
        assertThat(throughTheGateway(server, i)).isEqualTo(200);
      }
      tab.click("Limit GET /v1/products/*").type("Limit", "3/hour");
      tab.sees("It would have refused 57 of 60 requests");
      tab.picture(PICTURES.resolve("limit.png"));
      tab.click("Create rule");
      assertThat(Soon.until(SOON, "refused", () -> throughTheGateway(server, 7) == 429))
          .isLessThan(REACHES);
      tab.until(
          "the refusal",
          "[...document.querySelectorAll('table')].at(-1).innerText.includes('get-v1-products')");
      tab.picture(PICTURES.resolve("watch.png"));
      tab.click("Undo");
      assertThat(Soon.until(SOON, "allowed", () -> throughTheGateway(server, 7) == 200))
          .isLessThan(REACHES);
      go(tab, "rules/get-v1-products");
      tab.sees("There is no such rule");
      tab.sees("ann deleted it");
      tab.click("Bring it back");
      tab.sees("What it said");
      Soon.until(SOON, "refused again", () -> throughTheGateway(server, 7) == 429);
    } finally {
      upstream.stop(0);
    }
  }

  private void hello(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private int throughTheGateway(Running server, int product) {
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
  void aRuleIsEditedAsFormAndAsYaml() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      go(tab, "rules");
      tab.sees("There are no rules yet");
      tab.click("New rule").type("Name", "Not a name");
      tab.sees("cannot be; write 1 to 64 of a-z, 0-9 and -");
      tab.type("Name", "api").type("Limit", "100/fortnight");
      tab.sees("fortnight");
      tab.type("Limit", "100/minute");
      tab.until("it is right", "!document.querySelector('dialog button[type=submit]').disabled");
      tab.click("YAML");
      tab.until("YAML", "document.querySelector('textarea')?.value.includes('limit: 100/minute')");
      tab.type("The rule as YAML", "id: api\nper: [user]\nlimt: 5/minute\n");
      tab.sees("did you mean limit?");
      tab.picture(PICTURES.resolve("yaml.png"));
      tab.type("The rule as YAML", "id: api\nper: [user]\nlimit: 5/minute\n").click("Create rule");
      tab.sees("ann made it");
      tab.type("Limit", "6/minute").click("Save");
      tab.sees("ann changed it");
      tab.picture(PICTURES.resolve("rule.png"));
      tab.click("Undo this");
      tab.until("undone", "document.querySelector('input[name=limit]')?.value === '5/minute'");
      go(tab, "rules");
      tab.click("Shadow of api");
      tab.sees("api is only judged now");
      tab.until("shadow", "document.querySelector('[role=switch]').ariaChecked === 'true'");
    }
  }

  @Test
  void whatNodesTogetherMayAdmitTooManyIsShown() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Running server = server("store", redis.uri());
        Running other = server("store", redis.uri())) {
      Tab tab = signedIn(server);
      put(
          tab,
          rule("near", "100/minute").put("algorithm", "fixed-window").put("consistency", "synced"));
      assertThat(check(other, "ann", "GET /x")).isEqualTo(200);
      go(tab, "nodes");
      tab.sees("1 other node");
      go(tab, "rules");
      tab.sees("nodes together: up to 100 too many");
      tab.picture(PICTURES.resolve("overshoot.png"));
      go(tab, "rules/near");
      tab.sees("Counted synced: nodes together: up to 100 too many");
    }
  }

  @Test
  void itStaysLiveWithTenThousandRules() {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      rules.add(
          Rule.named("rule-" + i)
              .match("endpoint", "GET /v" + i + "/**")
              .per("user")
              .limit("5/hour")
              .build());
    }
    try (DatabaseRules database = DatabaseRules.open(h2())) {
      database.replace(rules, "test", database.current().revision());
    }
    try (Running server = server()) {
      Tab tab = signedIn(server);
      go(tab, "rules");
      tab.sees("10,000 rules");
      tab.click("Next");
      tab.sees("51–100");
      tab.type("Find rules", "v7777/");
      tab.sees("1 of 10,000 rules");
      tab.click("rule-7777");
      tab.type("Limit", "1/hour").click("Save");
      tab.sees("ann changed it");
      check(server, "bob", "GET /v7777/x");
      Duration reached =
          Soon.until(SOON, "refused", () -> check(server, "bob", "GET /v7777/x") == 429);
      assertThat(reached).isLessThan(REACHES);
      go(tab, "live");
      tab.until(
          "it ticks",
          () -> check(server, "bob", "GET /v1/x") > 0,
          "document.querySelector('table')?.innerText.includes('rule-1')");
      tab.picture(PICTURES.resolve("many.png"));
      assertThat(tab.is("document.querySelectorAll('*').length")).isInstanceOf(Integer.class);
      assertThat((Integer) tab.is("document.querySelectorAll('*').length")).isLessThan(5000);
    }
  }
}
