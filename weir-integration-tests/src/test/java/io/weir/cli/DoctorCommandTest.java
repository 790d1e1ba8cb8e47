package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir doctor}: one line per finding, and the exit code. */
class DoctorCommandTest {
  private static final Map<String, String> ALL_PORTS_OFF =
      Map.of(
          "WEIR_HTTP_PORT", "off",
          "WEIR_GRPC_PORT", "off",
          "WEIR_GATEWAY_PORT", "off",
          "WEIR_ADMIN_PORT", "off");

  @TempDir Path folder;

  private CommandRun doctor(String rules) throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), rules);
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"), "rules: file:" + file + "\ndata: " + folder + "\n");
    return CommandRun.of(ALL_PORTS_OFF, "doctor", "--config", config.toString());
  }

  @Test
  void okOrWarningsOnly_exitsWithZero() throws IOException {
    CommandRun ran = doctor("rules: [{id: a, limit: 1/s}]");
    assertThat(ran.exitCode()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).endsWith("\n0 problems, 0 warnings\n");
    assertThat(ran.out().lines().filter(line -> line.startsWith("ok       ")).count())
        .isEqualTo(ran.out().lines().count() - 1);
    assertThat(ran.out()).contains("ok       admin port    closed\n");
    CommandRun none = doctor("rules: []");
    assertThat(none.exitCode()).isZero();
    assertThat(none.out())
        .contains("\nwarning  rules         ", "everything is allowed; run weir rules apply FILE\n")
        .endsWith("\n0 problems, 1 warning\n");
  }

  @Test
  void problem_exitsWithError() throws IOException {
    CommandRun ran = doctor("rules: [{id: a}]");
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out())
        .contains("\nproblem  rules         ", "; run weir rules validate FILE\n")
        .endsWith("\n1 problem, 0 warnings\n");
  }

  @Test
  void invalidSettings_areReportedTogether() {
    CommandRun ran =
        CommandRun.of(ALL_PORTS_OFF, "doctor", "--store", "mysql://x", "--http-port", "many");
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err().lines())
        .containsExactly(
            "--store: store must be a Redis URL (was 'mysql://x'), for example redis://host:port",
            "--http-port: must be a port from 1 to 65535, 0 for any free port, or off (was 'many')");
  }
}
