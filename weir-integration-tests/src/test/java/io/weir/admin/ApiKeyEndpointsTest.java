package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.rules.Rules;
import io.weir.rules.database.ApiKeyOwner;
import io.weir.rules.database.DatabaseRules;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** API keys are created and revoked over the admin API, and their secret is shown once. */
@Timeout(60)
class ApiKeyEndpointsTest {
  private static final String PATH = "/admin/keys";

  @TempDir Path folder;
  private DatabaseRules rules;
  private AdminTestServer server;

  @BeforeEach
  void open() {
    rules = DatabaseRules.open("jdbc:h2:file:" + folder.resolve("rules"));
    server = new AdminTestServer(rules);
  }

  @AfterEach
  void close() {
    server.close();
    rules.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT"})
  void createdKey_isValidUntilRevoked(String method) {
    HttpResponse<String> made =
        server.send(method, PATH, "{\"user\":\"acme\",\"tier\":\"pro\"}", "X-Weir-User", "ann");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    JsonObject key = new JsonObject(made.body());
    String id = key.getString("id");
    String secret = key.getString("secret");
    assertThat(rules.keys().verify(secret)).contains(new ApiKeyOwner(id, "acme", "pro"));

    JsonObject shown = server.json(PATH + "/" + id);
    assertThat(shown.getString("user")).isEqualTo("acme");
    assertThat(shown.getString("tier")).isEqualTo("pro");
    assertThat(shown.getString("who")).isEqualTo("ann");
    assertThat(shown.getInstant("created")).isNotNull();
    assertThat(shown.getValue("revoked")).isNull();
    assertThat(server.json(PATH).getJsonArray("keys")).containsExactly(shown);
    assertThat(server.get(PATH).body()).doesNotContain(secret).doesNotContain("hash");

    assertThat(server.send("DELETE", PATH + "/" + id, "").statusCode()).isEqualTo(200);
    assertThat(rules.keys().verify(secret)).isEmpty();
    assertThat(server.send("DELETE", PATH + "/" + id, "").statusCode()).isEqualTo(404);
    assertThat(server.json(PATH + "/" + id).getInstant("revoked")).isNotNull();
    assertThat(server.send("DELETE", PATH + "/none", "").statusCode()).isEqualTo(404);
    assertThat(server.get(PATH + "/none").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{",
        "{}",
        "null",
        "{\"user\":\"\"}",
        "{\"user\":null}",
        "{\"user\":[\"a\"]}",
        "{\"user\":\"a\",\"user\":\"b\"}",
        "{\"user\":\"a\\u0000b\"}",
        "{\"tier\":\"pro\"}",
        "{\"user\":\"a\",\"teir\":\"pro\"}"
      })
  void invalidBody_isRejected(String body) {
    HttpResponse<String> refused = server.send("POST", PATH, body);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(new JsonObject(refused.body()).getString("message")).isNotBlank();
    assertThat(rules.keys().list()).isEmpty();
  }

  @Test
  void bodyOfOtherType_isRejected() {
    for (String type : new String[] {"text/plain", "application/yaml", "multipart/form-data"}) {
      assertThat(server.send("POST", PATH, "{\"user\":\"a\"}", "Content-Type", type).statusCode())
          .isEqualTo(415);
    }
    String longUser = "{\"user\":\"" + "a".repeat(201) + "\"}";
    assertThat(server.send("POST", PATH, longUser).statusCode()).isEqualTo(400);
    String misspelled = "{\"user\":\"a\",\"teir\":\"pro\"}";
    assertThat(server.send("POST", PATH, misspelled).body()).contains("did you mean tier");
  }

  @Test
  void hostileUserName_isReturnedAsText() {
    server.send("POST", PATH, "{\"user\":\"<script>alert(1)</script>\\\"\\u2028\"}");
    HttpResponse<String> shown = server.get(PATH);
    assertThat(shown.headers().firstValue("content-type")).contains("application/json");
    assertThat(shown.headers().firstValue("x-content-type-options")).contains("nosniff");
    assertThat(new JsonObject(shown.body()).getJsonArray("keys").getJsonObject(0).getString("user"))
        .isEqualTo("<script>alert(1)</script>\"\u2028");
  }

  @Test
  void rulesInFile_keysAreUnavailable() {
    try (AdminTestServer file = new AdminTestServer(Rules.parse("rules: []"))) {
      assertThat(file.get(PATH).statusCode()).isEqualTo(409);
      HttpResponse<String> refused = file.send("POST", PATH, "{\"user\":\"acme\"}");
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(refused.body()).contains("--rules jdbc:");
    }
  }

  @Test
  void createAndRevoke_logNoSecret() {
    Queue<String> log = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            log.add(new SimpleFormatter().format(entry));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    try {
      JsonObject key = new JsonObject(server.send("POST", PATH, "{\"user\":\"acme\"}").body());
      server.exchange(
          server.request("GET", PATH, "").header("Authorization", "Bearer Wrong-Marker-1"));
      server.send("DELETE", PATH + "/" + key.getString("id"), "");
      assertThat(String.join("", log))
          .contains("admin created API key " + key.getString("id"), "admin revoked API key")
          .doesNotContain(key.getString("secret"))
          .doesNotContain("Wrong-Marker-1")
          .doesNotContain(AdminTestServer.TOKEN);
    } finally {
      root.removeHandler(handler);
    }
  }
}
