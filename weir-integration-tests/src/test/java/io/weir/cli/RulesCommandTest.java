package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir rules validate}, {@code diff} and {@code list}, on files and a real H2 database. */
class RulesCommandTest {
  private static final String GOOD =
      """
      rules:
        - id: api
          match: {endpoint: "GET /**", tier: [free, trial]}
          per: [user]
          limit: [10/second, 1000/hour]
          consistency: synced
          on-store-failure: local
        - {id: login, per: [ip, user], limit: 5/minute, algorithm: sliding-log, shadow: true, enabled: false}
      """;

  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private String database() {
    return "jdbc:h2:file:" + folder.resolve("h2");
  }

  /** Stores rules in the database, one change each. */
  private void store(String text) {
    try (DatabaseRules rules = DatabaseRules.open(database())) {
      for (Rule rule : Rules.read(text)) {
        rules.put(rule, "test", rules.revision(rule.id()));
      }
    }
  }

  @Test
  void validFile_passesValidation() throws IOException {
    Path file = file("rules.yaml", GOOD);
    assertThat(CommandRun.of("rules", "validate", file.toString()))
        .isEqualTo(new CommandRun(0, file + ": 2 rules, valid\n", ""));
  }

  @Test
  void invalidFile_reportsEveryProblemWithPosition() throws IOException {
    Path bad = file("bad.yaml", "rules:\n  - {id: api, limt: 5/s}\n  - {id: B, limit: 0/s}\n");
    Path good = file("good.yaml", "rules: []\n");
    Path missing = folder.resolve("missing.yaml");
    CommandRun ran =
        CommandRun.of("rules", "validate", bad.toString(), good.toString(), missing.toString());
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEqualTo(good + ": 0 rules, valid\n");
    assertThat(ran.err().lines()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(ran.err())
        .startsWith(bad + ":2:15: api: limt: is not a field; did you mean limit?")
        .contains("\n" + bad + ":3:")
        .endsWith(missing + ": does not exist; create it or correct the path\n");
  }

  @Test
  void lintFinding_isWarning() throws IOException {
    Path file =
        file("rules.yaml", "rules: [{id: api, limit: 5/minute, on-store-failure: closed}]\n");
    CommandRun ran = CommandRun.of("rules", "validate", file.toString());
    assertThat(ran.exitCode()).isZero();
    assertThat(ran.out())
        .startsWith(file + ": warning: api: refuses everyone while the store is unavailable; add ");
  }

  @Test
  void dash_readsStandardInput() {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream("rules: {}\n".getBytes(StandardCharsets.UTF_8)));
    try {
      CommandRun ran = CommandRun.of("rules", "validate", "-");
      assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
      assertThat(ran.err())
          .startsWith("standard input:1:8: rules: must be a list of rules (was a map)");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void differentRules_areShownFieldByField() throws IOException {
    store(GOOD);
    Path file =
        file(
            "rules.yaml",
            GOOD.replace("1000/hour", "2000/hour")
                    .replace("on-store-failure: local", "burst-free: no")
                    .replace("    burst-free: no\n", "")
                    .replaceAll("(?m)^ *- \\{id: login.*\n", "")
                + "  - {id: new, limit: 1/day}\n");
    CommandRun ran = CommandRun.of("rules", "diff", file.toString(), "--rules", database());
    assertThat(ran.err()).isEmpty();
    assertThat(ran.exitCode()).isEqualTo(RulesDiffCommand.EXIT_DIFFERENT);
    assertThat(ran.out().lines())
        .containsExactly(
            "--- " + database() + ", revision 2",
            "+++ " + file,
            "~ api",
            "    limit: [10/second, 1000/hour] → [10/second, 2000/hour]",
            "    on-store-failure: local → open",
            "+ new",
            "+   limit: 1/day",
            "- login",
            "-   per: [ip, user]",
            "-   limit: 5/minute",
            "-   algorithm: sliding-log",
            "-   shadow: true",
            "-   enabled: false",
            "1 added, 1 changed, 1 removed, 0 equal");
  }

  @Test
  void equalRules_exitWithZero() throws IOException {
    store(GOOD);
    Path file = file("rules.yaml", "# a comment\n" + GOOD);
    assertThat(CommandRun.of("rules", "diff", file.toString(), "--rules", database()))
        .isEqualTo(new CommandRun(0, "0 added, 0 changed, 0 removed, 2 equal\n", ""));
    assertThat(
            CommandRun.of("rules", "diff", file.toString(), "--rules", "file:" + file).exitCode())
        .isZero();
  }

  @Test
  void diffOfInvalidFile_isError() throws IOException {
    Path file = file("rules.yaml", "rules: [{id: api}]\n");
    CommandRun ran = CommandRun.of("rules", "diff", file.toString(), "--rules", database());
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith(file + ":1:9: api: limit: must be set, ").hasLineCount(1);
  }

  @Test
  void listOfMissingDatabase_doesNotCreateIt() {
    CommandRun ran = CommandRun.of("rules", "list", "--rules", database());
    assertThat(ran)
        .isEqualTo(
            new CommandRun(
                Main.EXIT_ERROR,
                "",
                "weir: "
                    + database()
                    + " does not exist yet; weir rules apply FILE or weir serve creates it\n"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void list_printsTableYamlAndJson() throws IOException {
    store(GOOD);
    CommandRun ran = CommandRun.of(Map.of("WEIR_RULES", database()), "rules", "list");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out().lines())
        .containsExactly(
            "id     limit                 algorithm     per       match                             consistency   overshoot           fallback   shadow  enabled  revision",
            "api    10/second, 1000/hour  token-bucket  user      endpoint=GET /** tier=free|trial  synced 100ms  (nodes - 1) x 1001  local 10%  -       yes             1",
            "login  5/minute              sliding-log   ip, user                                    exact         0                   open       shadow  no              2",
            database() + ", revision 2: 2 rules");
    Path config = file("weir.yaml", "rules: \"" + database() + "\"\n");
    CommandRun yaml = CommandRun.of("rules", "list", "--yaml", "--config", config.toString());
    assertThat(Rules.read(yaml.out())).isEqualTo(Rules.read(GOOD));
    CommandRun json = CommandRun.of("rules", "list", "--json", "--rules", database());
    assertThat(json.out()).startsWith("{\"rules\":[");
    assertThat(Rules.read(json.out())).isEqualTo(Rules.read(GOOD));
    assertThat(CommandRun.of("rules", "list", "--json", "--yaml").exitCode())
        .isEqualTo(Main.EXIT_ERROR);
  }

  @Test
  void listOfEmptyFile_printsCountOnly() throws IOException {
    Path file = file("rules.yaml", "rules: []\n");
    assertThat(CommandRun.of("rules", "list", "--rules", "file:" + file).out())
        .isEqualTo(file + ": 0 rules\n");
  }

  @Test
  void invalidOrUnreachableDatabase_isOneLineError() {
    assertThat(CommandRun.of("rules", "list", "--rules", "mysql:x").err())
        .startsWith("--rules: must be file:PATH, jdbc:h2:… or jdbc:postgresql:… (was 'mysql:x')")
        .hasLineCount(1);
    CommandRun unreachable =
        CommandRun.of(
            "rules", "list", "--rules", "jdbc:postgresql://127.0.0.1:1/x?password=secret");
    assertThat(unreachable.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(unreachable.err())
        .startsWith("weir: jdbc:postgresql://127.0.0.1:1/x: Connection to 127.0.0.1:1 refused.")
        .doesNotContain("secret")
        .hasLineCount(1);
  }

  @Test
  void noSubcommand_printsUsage() {
    CommandRun ran = CommandRun.of("rules");
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.err()).contains("Usage: weir rules", "validate", "diff", "Examples:");
    assertThat(CommandRun.of("rules", "lst").err())
        .isEqualTo("weir: unknown command 'lst', did you mean list? Try weir rules --help\n");
  }
}
