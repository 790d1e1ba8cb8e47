package io.weir.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.doctor.DoctorFinding.FindingSeverity;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.RunningServer;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The checks of the machine, the ports and the rules. */
@Timeout(120)
@Tag("slow")
class DoctorTest {
  @TempDir Path folder;

  private String rulesFile(String text) throws IOException {
    return "file:" + Files.writeString(folder.resolve("rules.yaml"), text);
  }

  private String databaseUrl() {
    return "jdbc:h2:file:" + folder.resolve("h2");
  }

  @Test
  void defaultSettings_onlyMissingRulesAreReported() {
    DoctorResult result = DoctorResult.run(folder);
    assertThat(result.findingsOf("java").get(0).text()).startsWith(Runtime.version().toString());
    assertThat(result.findingsOf("files")).hasSize(1);
    assertThat(result.findingsOf("data").get(0).text()).endsWith("data will be created");
    assertThat(result.findingsOf("http port"))
        .containsExactly(DoctorFinding.ok("http port", "closed"));
    assertThat(result.findingsOf("store").get(0).severity()).isEqualTo(FindingSeverity.OK);
    assertThat(result.warningsAndProblems())
        .containsExactly(
            DoctorFinding.warning(
                "rules",
                "jdbc:h2:file:"
                    + folder.resolve("none")
                    + " does not exist yet, so there are no rules",
                "run weir rules apply FILE"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void dataFolderNotWritable_isProblem() throws IOException {
    Path file = Files.writeString(folder.resolve("in-the-way"), "");
    Path data = file.resolve("data");
    assertThat(DoctorResult.run(folder, "data", data.toString()).findingsOf("data"))
        .containsExactly(
            DoctorFinding.problem(
                "data", data + " is not writable", "make it writable, or set --data FOLDER"));
    assertThat(DoctorResult.run(folder, "data", folder.toString()).findingsOf("data"))
        .containsExactly(DoctorFinding.ok("data", folder + " is writable"));
  }

  @Test
  void unreachableUpstreams_areProblems() throws IOException {
    try (ServerSocket upstream = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + upstream.getLocalPort();
      DoctorResult result =
          DoctorResult.run(
              folder,
              "upstream",
              url,
              "gateway-routes",
              "/a=http://127.0.0.1:1,/b=http://nowhere.invalid,/c=" + url);
      String help =
          "start it, or correct --upstream or --gateway-routes; until then the gateway answers 502";
      assertThat(result.findingsOf("upstream"))
          .containsExactlyInAnyOrder(
              DoctorFinding.ok("upstream", url + " is reachable"),
              DoctorFinding.problem(
                  "upstream", "http://127.0.0.1:1 cannot be reached: connection refused", help),
              DoctorFinding.problem(
                  "upstream", "http://nowhere.invalid cannot be reached: unknown host", help));
    }
  }

  @Test
  void openFileLimitTooLow_isWarning() {
    MachineCheck check =
        new MachineCheck(
            ServerConfig.of(
                Map.of("max-connections", "1000", "grpc-port", "off", "admin-port", "off")));
    assertThat(check.openFilesFinding(1256).severity()).isEqualTo(FindingSeverity.OK);
    assertThat(check.openFilesFinding(1255))
        .isEqualTo(
            DoctorFinding.warning(
                "files",
                "this process may open 1255 files, but its connections need up to 1256",
                "run ulimit -n 1256, or set --max-connections 999"));
  }

  @Test
  void portInUse_isProblem() throws IOException {
    try (ServerSocket inUse = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(inUse.getLocalPort());
      DoctorResult result =
          DoctorResult.run(
              folder,
              "http-host",
              "127.0.0.1",
              "http-port",
              port,
              "grpc-port",
              "0",
              "gateway-port",
              port,
              "admin-host",
              "192.0.2.1",
              "admin-port",
              "9090");
      assertThat(result.findingsOf("http port"))
          .singleElement()
          .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
          .satisfies(
              f -> assertThat(f.text()).startsWith("127.0.0.1:" + port + " cannot be opened ("))
          .satisfies(
              f -> assertThat(f.help()).isEqualTo("set --http-port to another port, or off"));
      assertThat(result.findingsOf("grpc port").get(0).text()).isEqualTo("any free port");
      assertThat(result.findingsOf("gateway port").get(0).text()).isEqualTo("closed");
      assertThat(result.findingsOf("admin port").get(0).severity())
          .isEqualTo(FindingSeverity.PROBLEM);
    }
  }

  @Test
  void portUsedByRunningNode_isOk() {
    try (RunningServer running = RunningServer.start(folder, "rules: [{id: a, limit: 1/s}]")) {
      String port = Integer.toString(running.port("http"));
      DoctorResult result = DoctorResult.run(folder, "http-host", "127.0.0.1", "http-port", port);
      assertThat(result.findingsOf("http port"))
          .containsExactly(
              DoctorFinding.ok(
                  "http port", "127.0.0.1:" + port + " is in use by a running Weir node"));
      assertThat(result.findingsOf("node")).hasSize(1);
    }
  }

  @Test
  void invalidRules_areProblems() throws IOException {
    DoctorResult result =
        DoctorResult.run(
            folder, "rules", rulesFile("rules:\n  - {id: a}\n  - {id: b, limit: 1/y}\n"));
    assertThat(result.findingsOf("rules"))
        .hasSize(2)
        .allSatisfy(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
        .allSatisfy(f -> assertThat(f.help()).isEqualTo("run weir rules validate FILE"));
    assertThat(result.findingsOf("rules").get(0).text())
        .contains("rules.yaml:2:5: a: limit: must be set");
  }

  @Test
  void questionableRules_areWarnings() throws IOException {
    DoctorResult result =
        DoctorResult.run(
            folder,
            "region",
            "mars",
            "rules",
            rulesFile(
                "rules: [{id: a, limit: 9/s, on-store-failure: closed}, {id: b, per: [user], limit: 9/s, regions: {eu: 50%}}]"));
    assertThat(result.warningsAndProblems())
        .containsExactly(
            DoctorFinding.warning(
                "rules",
                "a: refuses everyone while the store is unavailable",
                "add match, or use on-store-failure: local"),
            DoctorFinding.warning(
                "rules", "b: has shares for eu, but this node's region is mars", "set --region"));
    assertThat(result.findingsOf("rules").get(0).text()).endsWith("rules.yaml: 2 read, 2 enforced");
    DoctorResult none =
        DoctorResult.run(folder, "rules", rulesFile("rules: [{id: a, limit: 9/s, shadow: true}]"));
    assertThat(none.warningsAndProblems())
        .singleElement()
        .satisfies(f -> assertThat(f.text()).endsWith("1 read, 0 enforced: everything is allowed"));
  }

  @Test
  void regionLedgerUnreachable_isReported() throws IOException {
    DoctorResult result =
        DoctorResult.run(
            folder,
            "region",
            "eu",
            "regions-link",
            "redis://127.0.0.1:1",
            "rules",
            rulesFile("rules: [{id: a, per: [user], limit: 9/s, regions: {eu: 50%, us: 50%}}]"));
    assertThat(result.warningsAndProblems())
        .singleElement()
        .satisfies(f -> assertThat(f.subject()).isEqualTo("regions"))
        .satisfies(f -> assertThat(f.text()).contains("cannot be reached"))
        .satisfies(f -> assertThat(f.help()).contains("--regions-link"));
  }

  @Test
  void durableRuleInMemoryStore_isWarning() throws IOException {
    DoctorResult result =
        DoctorResult.run(
            folder, "rules", rulesFile("rules: [{id: bill, limit: 9/s, durable: true}]"));
    assertThat(result.warningsAndProblems())
        .singleElement()
        .satisfies(f -> assertThat(f.subject()).isEqualTo("store"))
        .satisfies(f -> assertThat(f.text()).endsWith("but these rules are durable: bill"));
  }

  @Test
  void invalidDatabaseRow_isProblem() throws SQLException {
    try (DatabaseRules rules = DatabaseRules.open(databaseUrl())) {
      rules.put(Rules.readOne("test", "{id: api, limit: 5/s}"), "test", 0);
    }
    assertThat(DoctorResult.run(folder, "rules", databaseUrl()).findingsOf("rules"))
        .containsExactly(
            DoctorFinding.ok("rules", databaseUrl() + ", revision 1: 1 read, 1 enforced"));
    try (Connection byHand = DriverManager.getConnection(databaseUrl());
        Statement statement = byHand.createStatement()) {
      statement.execute("UPDATE weir_rule SET body = '{\"id\":\"api\"}' WHERE id = 'api'");
    }
    assertThat(DoctorResult.run(folder, "rules", databaseUrl()).warningsAndProblems())
        .singleElement()
        .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
        .satisfies(
            f ->
                assertThat(f.text())
                    .startsWith("weir_rule api:1:1: api: limit: must be set")
                    .endsWith("the previous version stays in force"));
  }

  @Test
  void databaseUnreachable_reportsLastGoodRules() throws IOException {
    String unreachable = "jdbc:postgresql://127.0.0.1:1/weir?user=u&password=secret";
    Path data = Files.createDirectories(folder.resolve("data"));
    DoctorResult without = DoctorResult.run(folder, "rules", unreachable);
    assertThat(without.warningsAndProblems())
        .singleElement()
        .satisfies(f -> assertThat(f.severity()).isEqualTo(FindingSeverity.PROBLEM))
        .satisfies(
            f ->
                assertThat(f.text())
                    .endsWith("there are no last good rules, so a server would not start"));
    try (DatabaseRules rules = DatabaseRules.open(databaseUrl(), data.resolve("rules-copy"))) {
      rules.put(Rules.readOne("test", "{id: api, limit: 5/s, durable: true}"), "test", 0);
    }
    assertThat(data.resolve("rules-copy")).exists();
    DoctorResult with = DoctorResult.run(folder, "rules", unreachable);
    assertThat(with.findingsOf("rules").get(0).text())
        .contains("a server would start with the last good rules, which are ");
    assertThat(with.findingsOf("store").get(0).text()).endsWith("these rules are durable: api");
    assertThat(without.findings().toString() + with.findings()).doesNotContain("secret");
  }
}
