package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir rules apply} to a real H2 database, and to a real server by its admin API. */
@Timeout(240)
class RulesApplyCommandTest {
  private static final String TOKEN = "a-token-that-is-long-enough";
  private static final String RULES =
      "rules: [{id: api, per: [user], limit: 5/s}, {id: login, limit: 3/m}]";

  @TempDir Path folder;

  private String database() {
    return "jdbc:h2:file:" + folder.resolve("h2");
  }

  private String file(String rules) throws IOException {
    return Files.writeString(folder.resolve("wanted.yaml"), rules).toString();
  }

  private CommandRun apply(String rules, String... more) throws IOException {
    String[] all = new String[more.length + 5];
    all[0] = "rules";
    all[1] = "apply";
    all[2] = file(rules);
    all[3] = "--rules";
    all[4] = database();
    System.arraycopy(more, 0, all, 5, more.length);
    return CommandRun.of(all);
  }

  private List<Rule> storedRules() {
    try (DatabaseRules rules = DatabaseRules.open(database())) {
      return rules.current().rules();
    }
  }

  @Test
  void apply_printsDiffAndRecordsHistory() throws IOException {
    CommandRun dry = apply(RULES, "--dry-run");
    assertThat(dry.exitCode()).isEqualTo(Main.EXIT_ERROR); // a dry run creates no database
    assertThat(apply("rules: [{id: api, limit: 5/s}, {id: old, limit: 1/s}]").exitCode()).isZero();
    CommandRun ran = apply(RULES, "--who", "ann");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out().lines())
        .containsExactly(
            "~ api",
            "    per: [] → [user]",
            "+ login",
            "+   limit: 3/minute",
            database() + ": 1 added, 1 changed, 0 removed, 1 equal, applied as revision 4",
            "1 rule not in the file, kept (--prune removes them): old");
    assertThat(storedRules()).extracting(Rule::id).containsExactly("api", "old", "login");
    try (DatabaseRules rules = DatabaseRules.open(database())) {
      assertThat(rules.history("login").get(0).who()).isEqualTo("ann");
      assertThat(rules.history("old").get(0).who()).isEqualTo(System.getProperty("user.name"));
    }
    assertThat(apply(RULES).out()).contains("0 removed, 3 equal, nothing to change\n");
    assertThat(apply(RULES, "--prune", "--dry-run").out())
        .startsWith("- old\n")
        .endsWith(
            """
            : 0 added, 0 changed, 1 removed, 2 equal, nothing applied
            1 rule not in the file, would be removed by --prune: old
            """);
    assertThat(storedRules()).hasSize(3);
    assertThat(apply(RULES, "--prune").exitCode()).isZero();
    assertThat(storedRules()).isEqualTo(Rules.read(RULES));
  }

  @Test
  void invalidFile_changesNothing() throws IOException {
    apply(RULES);
    CommandRun ran = apply("rules: [{id: api, limit: 9/s}, {id: login, limit: 9/y}]", "--prune");
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith(folder.resolve("wanted.yaml") + ":1:").hasLineCount(1);
    assertThat(storedRules()).isEqualTo(Rules.read(RULES));
  }

  @Test
  void manyRules_areAppliedInOneStep() throws IOException {
    String many =
        IntStream.range(0, 1000)
            .mapToObj(i -> "{id: r" + i + ", limit: 5/s}")
            .collect(Collectors.joining(",", "rules: [", "]"));
    CommandRun ran = apply(many);
    assertThat(ran.out()).contains("changing 1000 rules in one step …\n", ": 1000 added, ");
    assertThat(storedRules()).hasSize(1000);
  }

  @Test
  void applyToFile_isRejected() throws IOException {
    Path other = Files.writeString(folder.resolve("other.yaml"), "rules: []");
    CommandRun ran = CommandRun.of("rules", "apply", file(RULES), "--rules", "file:" + other);
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.err())
        .isEqualTo(
            "weir: "
                + other
                + " is a file and is reloaded when it changes; copy the rules over it\n");
  }

  @Test
  void applyToServer_usesAdminApi() throws IOException {
    try (RunningServer running =
        RunningServer.start(
            folder, "rules: []", "rules", database(), "admin-port", "0", "admin-token", TOKEN)) {
      String server = "http://127.0.0.1:" + running.port("admin");
      Map<String, String> environment = Map.of("WEIR_ADMIN_TOKEN", TOKEN);
      String file = file(RULES);
      CommandRun ran =
          CommandRun.of(environment, "rules", "apply", file, "--server", server, "--who", "ann");
      assertThat(ran.err()).isEmpty();
      assertThat(ran.out())
          .endsWith(server + ": 2 added, 0 changed, 0 removed, 0 equal, applied as revision 2\n");
      assertThat(CommandRun.of(environment, "rules", "diff", file, "--server", server).exitCode())
          .isZero();
      CommandRun list = CommandRun.of("rules", "list", "--server", server, "--token", TOKEN);
      assertThat(list.err()).isEmpty();
      assertThat(list.out())
          .contains("login  3/minute  token-bucket        ", server + ", revision 2: 2 rules\n");
      CommandRun yaml = CommandRun.of(environment, "rules", "list", "--server", server, "--yaml");
      assertThat(Rules.read(yaml.out())).isEqualTo(Rules.read(RULES));
      assertThat(running.checkStatus("x")).isEqualTo(200);

      RemoteRuleRepository repository =
          new RemoteRuleRepository(ServerHttpClient.create(server, null), TOKEN);
      assertThatThrownBy(() -> repository.replace(List.of(), "bob", 1))
          .isInstanceOf(CommandException.class)
          .hasMessageStartingWith(
              server + " responded with 409: the rules are at revision 2, not 1");
      assertThat(repository.content().rules()).isEqualTo(Rules.read(RULES));
    }
  }

  @Test
  void serverRejectsCall_isOneLineError() throws IOException {
    try (RunningServer running =
        RunningServer.start(folder, RULES, "admin-port", "0", "admin-token", TOKEN)) {
      String server = "http://127.0.0.1:" + running.port("admin");
      assertThat(CommandRun.of("rules", "list", "--server", server).err())
          .isEqualTo("weir: the admin API requires a token; set WEIR_ADMIN_TOKEN or use --token\n");
      assertThat(
              CommandRun.of("rules", "list", "--server", server, "--token", "wrong-but-long-enough")
                  .err())
          .startsWith("weir: " + server + " responded with 401: wrong admin token; use --token")
          .hasLineCount(1)
          .doesNotContain("wrong-but");
      Map<String, String> environment = Map.of("WEIR_ADMIN_TOKEN", TOKEN);
      assertThat(
              CommandRun.of(
                      environment,
                      "rules",
                      "apply",
                      file("rules: []"),
                      "--prune",
                      "--server",
                      server)
                  .err())
          .startsWith("weir: " + server + " responded with 409: rules are stored in a file; edit ")
          .hasLineCount(1);
      assertThat(
              CommandRun.of(environment, "rules", "list", "--server", server, "--rules", "file:x")
                  .err())
          .isEqualTo("weir: --rules and --server exclude each other; use one of them\n");
      String api = "http://127.0.0.1:" + running.port("http");
      assertThat(CommandRun.of(environment, "rules", "list", "--server", api).err())
          .startsWith("weir: " + api + " responded with 404: ")
          .endsWith("use --server with the admin port, such as http://127.0.0.1:9090\n");
    }
  }
}
