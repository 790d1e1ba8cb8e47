package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.rules.FileRules;
import io.weir.rules.database.DatabaseRules;
import io.weir.testkit.postgres.PostgresProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes rules over the admin API, in a file and in databases. */
@Timeout(120)
@Tag("slow")
class RuleEndpointsTest {
  private static final String RULE = "{\"id\":\"api\",\"limit\":\"5/hour\"}";

  @TempDir Path folder;
  private static PostgresProcess postgres;

  @BeforeAll
  static void start() {
    postgres = PostgresProcess.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Nested
  class H2RuleEndpoints extends RuleEndpointsContract {
    @Override
    String url() {
      return "jdbc:h2:file:" + folder.resolve("rules");
    }
  }

  @Nested
  class PostgresRuleEndpoints extends RuleEndpointsContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Test
  void rulesInFile_areReadOnly() throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [" + RULE + "]");
    try (FileRules rules = FileRules.open(file);
        AdminTestServer server = new AdminTestServer(rules)) {
      JsonObject all = server.json("/admin/rules");
      assertThat(all.getBoolean("editable")).isFalse();
      assertThat(all.getString("file")).isEqualTo(file.toString());
      assertThat(server.get("/admin/rules/api").body()).isEqualTo(RULE);
      for (String path : List.of("/admin/rules", "/admin/rules/api", "/admin/rules/api/history")) {
        assertRulesInFile(
            path.endsWith("history") ? server.get(path) : server.send("PUT", path, RULE), file);
      }
      assertRulesInFile(server.send("DELETE", "/admin/rules/api", ""), file);
      assertRulesInFile(server.send("POST", "/admin/rules/api/undo", ""), file);
      assertThat(server.send("POST", "/admin/rules/validate", RULE).statusCode()).isEqualTo(200);
      assertThat(rules.current().rules()).hasSize(1);
    }
  }

  private static void assertRulesInFile(HttpResponse<String> refused, Path file) {
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("rules are stored in a file; edit " + file);
  }

  @Test
  void lostDatabase_respondsWith503WithoutPassword() throws SQLException {
    String url = postgres.newDatabase();
    try (DatabaseRules rules = DatabaseRules.open(url + "&password=Marker-1");
        AdminTestServer server = new AdminTestServer(rules)) {
      server.send("PUT", "/admin/rules/api", RULE);
      drop(url);
      for (String method : List.of("PUT", "DELETE")) {
        String body = method.equals("PUT") ? RULE.replace("5", "6") : "";
        HttpResponse<String> refused =
            server.send(method, "/admin/rules/api", body, "If-Match", "*");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("database_failed").doesNotContain("Marker-1");
      }
      assertThat(server.get("/admin/rules/api").body())
          .as("the last rules are still served")
          .isEqualTo(RULE);
    }
  }

  private static void drop(String url) throws SQLException {
    String name = url.replaceFirst(".*/([a-z0-9]+).*", "$1");
    try (Connection connection = DriverManager.getConnection(postgres.newDatabase());
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
    }
  }
}
