package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.weir.server.Running;
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

/**
 * The dashboard in a real browser, used as a person would. What was seen is in target/dashboard.
 */
@Timeout(180)
@Tag("slow")
abstract class InBrowser {
  static final String TOKEN = "open-sesame-open-sesame";
  static final Path PICTURES = Path.of("target", "dashboard");

  /** How soon what is done to a rule is seen by its callers. */
  static final Duration REACHES = Duration.ofSeconds(2);

  static final Duration SOON = Duration.ofSeconds(30);

  private static Chromium browser;

  @TempDir private Path folder;
  private final List<Tab> tabs = new ArrayList<>();

  @BeforeAll
  static void startBrowser() throws IOException {
    Optional<Path> binary = Chromium.find();
    assumeTrue(binary.isPresent(), Chromium.ADVICE);
    browser = Chromium.start(binary.orElseThrow());
  }

  @AfterAll
  static void stopBrowser() {
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

  Running server(String... flags) {
    List<String> all =
        new ArrayList<>(List.of("rules", h2(), "admin-port", "0", "admin-token", TOKEN));
    all.addAll(List.of(flags));
    return Running.start(folder, "", all.toArray(new String[0]));
  }

  String h2() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }

  static String url(Running server) {
    return "http://127.0.0.1:" + server.port("admin") + "/";
  }

  Tab signedIn(Running server) {
    Tab tab = tab();
    tab.open(url(server)).type("Admin token", TOKEN).type("Your name", "ann").key("Enter");
    tab.until("signed in", "document.querySelector('main.main')");
    return tab;
  }

  Tab tab() {
    Tab tab = browser.tab();
    tabs.add(tab);
    return tab;
  }

  static void go(Tab tab, String page) {
    tab.is("location.hash = " + Tab.quoted("#/" + page));
  }

  static int check(Running server, String user, String endpoint) {
    JsonObject attributes = new JsonObject().put("user", user).put("endpoint", endpoint);
    return server
        .post("/v1/check", new JsonObject().put("attributes", attributes).encode())
        .statusCode();
  }

  static JsonObject rule(String id, String limit) {
    return new JsonObject().put("id", id).put("per", List.of("user")).put("limit", limit);
  }

  /** As the page does it. */
  static void put(Tab tab, JsonObject rule) {
    tab.is(
        "fetch('/admin/rules/%s', {method: 'PUT', body: %s, headers: {Authorization: 'Bearer %s', 'Content-Type': 'application/json'}}).then(r => r.status)"
            .formatted(rule.getString("id"), Tab.quoted(rule.encode()), TOKEN));
  }
}
