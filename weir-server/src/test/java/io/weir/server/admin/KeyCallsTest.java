package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.rules.Rules;
import io.weir.rules.database.Caller;
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

/** API keys are made and revoked over the admin door, and their secret is seen once. */
@Timeout(60)
class KeyCallsTest {
  private static final String PATH = "/admin/keys";

  @TempDir Path folder;
  private DatabaseRules rules;
  private AdminDoor door;

  @BeforeEach
  void open() {
    rules = DatabaseRules.open("jdbc:h2:file:" + folder.resolve("rules"));
    door = new AdminDoor(rules);
  }

  @AfterEach
  void close() {
    door.close();
    rules.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT"})
  void aKeyIsGoodAtOnceUntilItIsRevoked(String method) {
    HttpResponse<String> made =
        door.send(method, PATH, "{\"user\":\"acme\",\"tier\":\"pro\"}", "X-Weir-User", "ann");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    JsonObject key = new JsonObject(made.body());
    String id = key.getString("id");
    String secret = key.getString("secret");
    assertThat(rules.keys().verify(secret)).contains(new Caller(id, "acme", "pro"));

    JsonObject shown = door.json(PATH + "/" + id);
    assertThat(shown.getString("user")).isEqualTo("acme");
    assertThat(shown.getString("tier")).isEqualTo("pro");
    assertThat(shown.getString("who")).isEqualTo("ann");
    assertThat(shown.getInstant("created")).isNotNull();
    assertThat(shown.getValue("revoked")).isNull();
    assertThat(door.json(PATH).getJsonArray("keys")).containsExactly(shown);
    assertThat(door.get(PATH).body()).doesNotContain(secret).doesNotContain("hash");

    assertThat(door.send("DELETE", PATH + "/" + id, "").statusCode()).isEqualTo(200);
    assertThat(rules.keys().verify(secret)).isEmpty();
    assertThat(door.send("DELETE", PATH + "/" + id, "").statusCode()).isEqualTo(404);
    assertThat(door.json(PATH + "/" + id).getInstant("revoked")).isNotNull();
    assertThat(door.send("DELETE", PATH + "/none", "").statusCode()).isEqualTo(404);
    assertThat(door.get(PATH + "/none").statusCode()).isEqualTo(404);
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
  void whatIsNoKeyIsRefused(String body) {
    HttpResponse<String> refused = door.send("POST", PATH, body);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(new JsonObject(refused.body()).getString("message")).isNotBlank();
    assertThat(rules.keys().list()).isEmpty();
  }

  @Test
  void onlyJsonMakesAKey() {
    for (String type : new String[] {"text/plain", "application/yaml", "multipart/form-data"}) {
      assertThat(door.send("POST", PATH, "{\"user\":\"a\"}", "Content-Type", type).statusCode())
          .isEqualTo(415);
    }
    String long1 = "{\"user\":\"" + "a".repeat(201) + "\"}";
    assertThat(door.send("POST", PATH, long1).statusCode()).isEqualTo(400);
    String teir = "{\"user\":\"a\",\"teir\":\"pro\"}";
    assertThat(door.send("POST", PATH, teir).body()).contains("did you mean tier");
  }

  @Test
  void aCallerWithAHostileNameIsInert() {
    door.send("POST", PATH, "{\"user\":\"<script>alert(1)</script>\\\"\\u2028\"}");
    HttpResponse<String> shown = door.get(PATH);
    assertThat(shown.headers().firstValue("content-type")).contains("application/json");
    assertThat(shown.headers().firstValue("x-content-type-options")).contains("nosniff");
    assertThat(new JsonObject(shown.body()).getJsonArray("keys").getJsonObject(0).getString("user"))
        .isEqualTo("<script>alert(1)</script>\"\u2028");
  }

  @Test
  void rulesOfAFileHaveNoKeysBesideThem() {
    try (AdminDoor file = new AdminDoor(Rules.parse("rules: []"))) {
      assertThat(file.get(PATH).statusCode()).isEqualTo(409);
      HttpResponse<String> refused = file.send("POST", PATH, "{\"user\":\"acme\"}");
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(refused.body()).contains("--rules jdbc:");
    }
  }

  @Test
  void noSecretIsLogged() {
    Queue<String> log = new ConcurrentLinkedQueue<>();
    Handler ear =
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
    root.addHandler(ear);
    try {
      JsonObject key = new JsonObject(door.send("POST", PATH, "{\"user\":\"acme\"}").body());
      door.ask(door.request("GET", PATH, "").header("Authorization", "Bearer Wrong-Marker-1"));
      door.send("DELETE", PATH + "/" + key.getString("id"), "");
      assertThat(String.join("", log))
          .contains("admin made API key " + key.getString("id"), "admin revoked API key")
          .doesNotContain(key.getString("secret"))
          .doesNotContain("Wrong-Marker-1")
          .doesNotContain(AdminDoor.TOKEN);
    } finally {
      root.removeHandler(ear);
    }
  }
}
