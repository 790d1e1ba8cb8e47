package io.weir.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.Running;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The dashboard in a real browser, used as a person would. What was seen is in target/dashboard.
 */
@Timeout(180)
@Tag("slow")
class DashboardTest {
  private static final String TOKEN = "open-sesame-open-sesame";
  private static final Path PICTURES = Path.of("target", "dashboard");
  private static final Duration REACHES = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(30);

  private static Chromium browser;
  private static String axe = "";

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Tab> tabs = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    Optional<Path> binary = Chromium.find();
    assumeTrue(binary.isPresent(), Chromium.ADVICE);
    browser = Chromium.start(binary.orElseThrow());
    try (InputStream script = DashboardTest.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(script.readAllBytes(), UTF_8);
    }
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void nothingWasForbiddenOrFailed() {
    for (Tab tab : tabs) {
      assertThat(tab.complaints()).isEmpty();
    }
  }

  private Running server(String... flags) {
    List<String> all =
        new ArrayList<>(List.of("rules", h2(), "admin-port", "0", "admin-token", TOKEN));
    all.addAll(List.of(flags));
    return Running.start(folder, "", all.toArray(new String[0]));
  }

  private String h2() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }

  private static String url(Running server) {
    return "http://127.0.0.1:" + server.port("admin") + "/";
  }

  private Tab signedIn(Running server) {
    Tab tab = tab();
    tab.open(url(server)).type("Admin token", TOKEN).type("Your name", "ann").key("Enter");
    tab.until("signed in", "document.querySelector('main.main')");
    return tab;
  }

  private Tab tab() {
    Tab tab = browser.tab();
    tabs.add(tab);
    return tab;
  }

  private static void go(Tab tab, String page) {
    tab.is("location.hash = " + Tab.quoted("#/" + page));
  }

  private static int check(Running server, String user, String endpoint) {
    JsonObject attributes = new JsonObject().put("user", user).put("endpoint", endpoint);
    return server
        .post("/v1/check", new JsonObject().put("attributes", attributes).encode())
        .statusCode();
  }

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
  void whatCallersCallThemselvesStaysText() {
    String evil = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>";
    try (Running server = server()) {
      Tab tab = signedIn(server);
      tab.is("window.alert = () => { window.struck = true; }");
      JsonObject rule =
          new JsonObject().put("id", "strict").put("per", List.of("user")).put("limit", "1/hour");
      put(tab, rule);
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
      put(
          tab,
          new JsonObject().put("id", "api").put("per", List.of("user")).put("limit", "1/hour"));
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

  /** As the page does it. */
  private static void put(Tab tab, JsonObject rule) {
    tab.is(
        "fetch('/admin/rules/%s', {method: 'PUT', body: %s, headers: {Authorization: 'Bearer %s', 'Content-Type': 'application/json'}}).then(r => r.status)"
            .formatted(rule.getString("id"), Tab.quoted(rule.encode()), TOKEN));
  }

  @Test
  void aCallerIsLookedAfter() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      put(
          tab,
          new JsonObject().put("id", "api").put("per", List.of("user")).put("limit", "2/hour"));
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

  @Test
  void aStoreThatIsGoneIsSaidOnEveryPage() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Running server = server("store", redis.uri())) {
      Tab tab = signedIn(server);
      put(
          tab,
          new JsonObject()
              .put("id", "api")
              .put("per", List.of("user"))
              .put("limit", "100000/hour"));
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
  void whatNodesTogetherMayAdmitTooManyIsShown() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Running server = server("store", redis.uri());
        Running other = server("store", redis.uri())) {
      Tab tab = signedIn(server);
      put(
          tab,
          new JsonObject()
              .put("id", "near")
              .put("per", List.of("user"))
              .put("limit", "100/minute")
              .put("algorithm", "fixed-window")
              .put("consistency", "synced"));
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
  void everyPageIsAccessible() {
    try (Running server = server()) {
      Tab tab = signedIn(server);
      put(
          tab,
          new JsonObject().put("id", "api").put("per", List.of("user")).put("limit", "2/hour"));
      for (int i = 0; i < 9; i++) {
        check(server, "user-" + i % 2, "GET /v1/orders/" + i);
      }
      tab.is(axe + "; 0");
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

  private static List<?> violations(Tab tab) {
    String found =
        tab.is(
                "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
                    + ".then(r => JSON.stringify({all: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' '))}))")
            .toString();
    return new JsonObject(found).getJsonArray("all").getList();
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
