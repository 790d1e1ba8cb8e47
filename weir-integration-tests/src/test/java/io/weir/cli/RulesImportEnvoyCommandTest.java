package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir rules import-envoy}. */
class RulesImportEnvoyCommandTest {
  private static final String EDGE =
      """
      domain: edge
      descriptors:
        - key: remote_address
          rate_limit: {unit: minute, requests_per_unit: 100}
      """;

  @TempDir Path folder;

  @Test
  void envoyConfiguration_becomesValidRules() throws IOException {
    Path edge = file("edge.yaml", EDGE);
    Path mail = file("mail.yaml", EDGE.replace("edge", "mail"));
    CommandRun ran = CommandRun.of("rules", "import-envoy", edge.toString(), mail.toString());
    assertThat(ran.exitCode()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).contains("id: edge-remote-address", "id: mail-remote-address");
    Path rules = file("rules.yaml", ran.out());
    assertThat(CommandRun.of("rules", "validate", rules.toString()))
        .isEqualTo(new CommandRun(0, rules + ": 2 rules, valid\n", ""));
  }

  @Test
  void unsupportedConfiguration_isReportedAndNothingIsWritten() throws IOException {
    Path bad = file("bad.yaml", EDGE.replace("minute", "minutes"));
    CommandRun ran = CommandRun.of("rules", "import-envoy", bad.toString());
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith(bad + ":4:24: remote_address: unit: must be one of second, minute");
    CommandRun missing =
        CommandRun.of("rules", "import-envoy", folder.resolve("none.yaml").toString());
    assertThat(missing.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(missing.err())
        .contains("none.yaml does not exist; use the path of an existing file");
  }

  @Test
  void twoFilesOfOneDomain_areMerged() throws IOException {
    String special =
        """
        domain: edge
        descriptors:
          - key: remote_address
            value: 10.0.0.1
            rate_limit: {unit: minute, requests_per_unit: 5}
        """;
    Path general = file("general.yaml", EDGE);
    Path exception = file("special.yaml", special);
    for (String[] order :
        new String[][] {
          {general.toString(), exception.toString()}, {exception.toString(), general.toString()}
        }) {
      CommandRun ran = CommandRun.of("rules", "import-envoy", order[0], order[1]);
      assertThat(ran.exitCode()).isZero();
      assertThat(ran.out()).contains("\"!10.0.0.1\"");
    }
  }

  @Test
  void oneDescriptorInTwoFiles_isError() throws IOException {
    Path edge = file("edge.yaml", EDGE);
    Path again = file("again.yaml", EDGE);
    CommandRun ran = CommandRun.of("rules", "import-envoy", edge.toString(), again.toString());
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .isEqualTo(
            again
                + ":3:5: remote_address: must occur once (was already in "
                + edge
                + ", line 3)\n");
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }
}
