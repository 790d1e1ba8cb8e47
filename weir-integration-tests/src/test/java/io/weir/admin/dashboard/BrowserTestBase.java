package io.weir.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import io.weir.testkit.ToolRequirement;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests that use the dashboard in a real browser. Screenshots are in target/dashboard. */
@Timeout(180)
@Tag("slow")
abstract class BrowserTestBase {
  static final String TOKEN = "open-sesame-open-sesame";
  static final Path SCREENSHOTS = Path.of("target", "dashboard");

  /** The maximum time until a rule change takes effect. */
  static final Duration PROPAGATION_TIME = Duration.ofSeconds(2);

  static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static ChromiumBrowser browser;

  @TempDir private Path folder;
  private final List<BrowserTab> tabs = new ArrayList<>();

  @BeforeAll
  static void startBrowser() throws IOException {
    Optional<Path> binary = ChromiumBrowser.find();
    ToolRequirement.require(binary.isPresent(), ChromiumBrowser.NOT_FOUND_MESSAGE);
    browser = ChromiumBrowser.start(binary.orElseThrow());
  }

  @AfterAll
  static void stopBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void assertNoBrowserErrors() {
    for (BrowserTab tab : tabs) {
      assertThat(tab.errors()).isEmpty();
    }
  }

  RunningServer startServer(String... flags) {
    List<String> all =
        new ArrayList<>(List.of("rules", h2Url(), "admin-port", "0", "admin-token", TOKEN));
    all.addAll(List.of(flags));
    return RunningServer.start(folder, "", all.toArray(new String[0]));
  }

  String h2Url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }

  static String url(RunningServer server) {
    return "http://127.0.0.1:" + server.port("admin") + "/";
  }

  BrowserTab signedIn(RunningServer server) {
    BrowserTab tab = openTab();
    tab.open(url(server)).type("Admin token", TOKEN).type("Your name", "ann").key("Enter");
    tab.waitUntil("signed in", "document.querySelector('main.main')");
    return tab;
  }

  BrowserTab openTab() {
    BrowserTab tab = browser.openTab();
    tabs.add(tab);
    return tab;
  }

  static void openPage(BrowserTab tab, String page) {
    tab.evaluate("location.hash = " + BrowserTab.jsString("#/" + page));
  }

  static int decisionStatus(RunningServer server, String user, String endpoint) {
    JsonObject attributes = new JsonObject().put("user", user).put("endpoint", endpoint);
    return server
        .post("/v1/check", new JsonObject().put("attributes", attributes).encode())
        .statusCode();
  }

  static JsonObject rule(String id, String limit) {
    return new JsonObject().put("id", id).put("per", List.of("user")).put("limit", limit);
  }

  /** Creates or replaces a rule with a request from the page. */
  static void putRule(BrowserTab tab, JsonObject rule) {
    tab.evaluate(
        "fetch('/admin/rules/%s', {method: 'PUT', body: %s, headers: {Authorization: 'Bearer %s', 'Content-Type': 'application/json'}}).then(r => r.status)"
            .formatted(rule.getString("id"), BrowserTab.jsString(rule.encode()), TOKEN));
  }
}
