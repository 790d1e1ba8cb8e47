package io.weir.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.Running;
import io.weir.server.config.Config;
import io.weir.server.doctor.Finding.Grade;
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

/** The doctor at the machine, the doors and the rules. */
@Timeout(120)
@Tag("slow")
class DoctorTest {
  @TempDir Path folder;

  private String file(String text) throws IOException {
    return "file:" + Files.writeString(folder.resolve("rules.yaml"), text);
  }

  private String database() {
    return "jdbc:h2:file:" + folder.resolve("h2");
  }

  @Test
  void nothingButDefaults() {
    Patient patient = Patient.with(folder);
    assertThat(patient.of("java").get(0).text()).startsWith(Runtime.version().toString());
    assertThat(patient.of("files")).hasSize(1);
    assertThat(patient.of("data").get(0).text()).endsWith("data will be made");
    assertThat(patient.of("http port")).containsExactly(Finding.ok("http port", "closed"));
    assertThat(patient.of("store").get(0).grade()).isEqualTo(Grade.OK);
    assertThat(patient.ills())
        .containsExactly(
            Finding.warning(
                "rules",
                "jdbc:h2:file:" + folder.resolve("none") + " does not exist yet, so there are none",
                "run weir rules apply FILE"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFolderThatCannotBe() throws IOException {
    Path inTheWay = Files.writeString(folder.resolve("in-the-way"), "");
    Path data = inTheWay.resolve("data");
    assertThat(Patient.with(folder, "data", data.toString()).of("data"))
        .containsExactly(
            Finding.problem(
                "data", data + " cannot be written", "make it writable, or write --data FOLDER"));
    assertThat(Patient.with(folder, "data", folder.toString()).of("data"))
        .containsExactly(Finding.ok("data", folder + " can be written"));
  }

  @Test
  void upstreamsThatAreAndAreNotThere() throws IOException {
    try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + there.getLocalPort();
      Patient patient =
          Patient.with(
              folder,
              "upstream",
              url,
              "gateway-routes",
              "/a=http://127.0.0.1:1,/b=http://nowhere.invalid,/c=" + url);
      String help =
          "start it, or correct --upstream or --gateway-routes; until then the gateway answers 502";
      assertThat(patient.of("upstream"))
          .containsExactlyInAnyOrder(
              Finding.ok("upstream", url + " can be reached"),
              Finding.problem(
                  "upstream", "http://127.0.0.1:1 cannot be reached: connection refused", help),
              Finding.problem(
                  "upstream",
                  "http://nowhere.invalid cannot be reached: nobody knows its name",
                  help));
    }
  }

  @Test
  void tooFewFiles() {
    MachineExam exam =
        new MachineExam(
            Config.of(Map.of("max-connections", "1000", "grpc-port", "off", "admin-port", "off")));
    assertThat(exam.files(1256).grade()).isEqualTo(Grade.OK);
    assertThat(exam.files(1255))
        .isEqualTo(
            Finding.warning(
                "files",
                "this process may open 1255, but its doors take 1256 together",
                "run ulimit -n 1256, or write --max-connections 999"));
  }

  @Test
  void portsThatCannotBeHad() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Patient patient =
          Patient.with(
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
      assertThat(patient.of("http port"))
          .singleElement()
          .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
          .satisfies(f -> assertThat(f.text()).startsWith("127.0.0.1:" + port + " cannot be had ("))
          .satisfies(
              f -> assertThat(f.help()).isEqualTo("write --http-port with another one, or off"));
      assertThat(patient.of("grpc port").get(0).text()).isEqualTo("any that is free");
      assertThat(patient.of("gateway port").get(0).text()).isEqualTo("closed");
      assertThat(patient.of("admin port").get(0).grade()).isEqualTo(Grade.PROBLEM);
    }
  }

  @Test
  void aWeirThatRunsHereAlready() {
    try (Running running = Running.start(folder, "rules: [{id: a, limit: 1/s}]")) {
      String port = Integer.toString(running.port("http"));
      Patient patient = Patient.with(folder, "http-host", "127.0.0.1", "http-port", port);
      assertThat(patient.of("http port"))
          .containsExactly(
              Finding.ok("http port", "127.0.0.1:" + port + " is in use, as a Weir runs here"));
      assertThat(patient.of("node")).hasSize(1);
    }
  }

  @Test
  void rulesThatAreWrong() throws IOException {
    Patient patient =
        Patient.with(folder, "rules", file("rules:\n  - {id: a}\n  - {id: b, limit: 1/y}\n"));
    assertThat(patient.of("rules"))
        .hasSize(2)
        .allSatisfy(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
        .allSatisfy(f -> assertThat(f.help()).isEqualTo("run weir rules validate FILE"));
    assertThat(patient.of("rules").get(0).text()).contains("rules.yaml:2:5: a: limit: is missing");
  }

  @Test
  void rulesThatAreDoubtful() throws IOException {
    Patient patient =
        Patient.with(
            folder,
            "region",
            "mars",
            "rules",
            file(
                "rules: [{id: a, limit: 9/s, on-store-failure: closed}, {id: b, per: [user], limit: 9/s, regions: {eu: 50%}}]"));
    assertThat(patient.ills())
        .containsExactly(
            Finding.warning(
                "rules",
                "a: refuses everyone while the store is silent",
                "write match, or on-store-failure: local"),
            Finding.warning(
                "rules", "b: has shares for eu, but this node's region is mars", "write --region"));
    assertThat(patient.of("rules").get(0).text()).endsWith("rules.yaml: 2 read, 2 enforced");
    Patient none =
        Patient.with(folder, "rules", file("rules: [{id: a, limit: 9/s, shadow: true}]"));
    assertThat(none.ills())
        .singleElement()
        .satisfies(f -> assertThat(f.text()).endsWith("1 read, 0 enforced: everything is allowed"));
  }

  @Test
  void regionsWhoseLinkIsAway() throws IOException {
    Patient patient =
        Patient.with(
            folder,
            "region",
            "eu",
            "regions-link",
            "redis://127.0.0.1:1",
            "rules",
            file("rules: [{id: a, per: [user], limit: 9/s, regions: {eu: 50%, us: 50%}}]"));
    assertThat(patient.ills())
        .singleElement()
        .satisfies(f -> assertThat(f.subject()).isEqualTo("regions"))
        .satisfies(f -> assertThat(f.text()).contains("cannot be reached"))
        .satisfies(f -> assertThat(f.help()).contains("--regions-link"));
  }

  @Test
  void durableRulesInMemory() throws IOException {
    Patient patient =
        Patient.with(folder, "rules", file("rules: [{id: bill, limit: 9/s, durable: true}]"));
    assertThat(patient.ills())
        .singleElement()
        .satisfies(f -> assertThat(f.subject()).isEqualTo("store"))
        .satisfies(f -> assertThat(f.text()).endsWith("though durable are bill"));
  }

  @Test
  void aDatabaseWellAndWithABadRow() throws SQLException {
    try (DatabaseRules rules = DatabaseRules.open(database())) {
      rules.put(Rules.readOne("test", "{id: api, limit: 5/s}"), "test", 0);
    }
    assertThat(Patient.with(folder, "rules", database()).of("rules"))
        .containsExactly(Finding.ok("rules", database() + ", revision 1: 1 read, 1 enforced"));
    try (Connection byHand = DriverManager.getConnection(database());
        Statement statement = byHand.createStatement()) {
      statement.execute("UPDATE weir_rule SET body = '{\"id\":\"api\"}' WHERE id = 'api'");
    }
    assertThat(Patient.with(folder, "rules", database()).ills())
        .singleElement()
        .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
        .satisfies(
            f ->
                assertThat(f.text())
                    .startsWith("weir_rule api:1:1: api: limit: is missing")
                    .endsWith("what it was before serves"));
  }

  @Test
  void aDatabaseThatIsAway() throws IOException {
    String away = "jdbc:postgresql://127.0.0.1:1/weir?user=u&password=secret";
    Path data = Files.createDirectories(folder.resolve("data"));
    Patient without = Patient.with(folder, "rules", away);
    assertThat(without.ills())
        .singleElement()
        .satisfies(f -> assertThat(f.grade()).isEqualTo(Grade.PROBLEM))
        .satisfies(
            f -> assertThat(f.text()).endsWith("there is no copy, so no server would start"));
    try (DatabaseRules rules = DatabaseRules.open(database(), data.resolve("rules-copy"))) {
      rules.put(Rules.readOne("test", "{id: api, limit: 5/s, durable: true}"), "test", 0);
    }
    assertThat(data.resolve("rules-copy")).exists();
    Patient with = Patient.with(folder, "rules", away);
    assertThat(with.of("rules").get(0).text())
        .contains("a server would start on its copy, which is ");
    assertThat(with.of("store").get(0).text()).endsWith("durable are api");
    assertThat(without.findings().toString() + with.findings()).doesNotContain("secret");
  }
}
