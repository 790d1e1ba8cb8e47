package io.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir rules import-envoy}. */
class RulesImportEnvoyTest {
  private static final String EDGE =
      """
      domain: edge
      descriptors:
        - key: remote_address
          rate_limit: {unit: minute, requests_per_unit: 100}
      """;

  @TempDir Path folder;

  @Test
  void writesRulesThatAreGood() throws IOException {
    Path edge = file("edge.yaml", EDGE);
    Path mail = file("mail.yaml", EDGE.replace("edge", "mail"));
    Ran ran = Ran.of("rules", "import-envoy", edge.toString(), mail.toString());
    assertThat(ran.code()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).contains("id: edge-remote-address", "id: mail-remote-address");
    Path rules = file("rules.yaml", ran.out());
    assertThat(Ran.of("rules", "validate", rules.toString()))
        .isEqualTo(new Ran(0, rules + ": 2 rules, good\n", ""));
  }

  @Test
  void whatCannotBeIsToldAndNothingIsWritten() throws IOException {
    Path bad = file("bad.yaml", EDGE.replace("minute", "minutes"));
    Ran ran = Ran.of("rules", "import-envoy", bad.toString());
    assertThat(ran.code()).isEqualTo(Main.WRONG);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith(bad + ":4:24: remote_address: unit: 'minutes' does not exist");
    Ran missing = Ran.of("rules", "import-envoy", folder.resolve("none.yaml").toString());
    assertThat(missing.code()).isEqualTo(Main.WRONG);
    assertThat(missing.err()).contains("none.yaml does not exist; name a file");
  }

  @Test
  void aDomainHasOneFile() throws IOException {
    Path edge = file("edge.yaml", EDGE);
    Ran ran = Ran.of("rules", "import-envoy", edge.toString(), edge.toString());
    assertThat(ran.code()).isEqualTo(Main.WRONG);
    assertThat(ran.err())
        .isEqualTo(
            "weir: two files make the rule edge-remote-address; give each domain one file\n");
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }
}
