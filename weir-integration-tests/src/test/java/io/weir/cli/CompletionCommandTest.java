package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.ToolRequirement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the completion script in a real bash. */
@Timeout(120)
class CompletionCommandTest {
  @TempDir Path folder;

  @BeforeEach
  void requireBash() {
    ToolRequirement.require(
        Stream.of(System.getenv("PATH").split(":", -1))
            .anyMatch(p -> Files.isExecutable(Path.of(p, "bash"))),
        "bash is not installed");
  }

  private String complete(String... words) throws Exception {
    Path script = folder.resolve("weir");
    Files.writeString(script, CommandRun.of("completion").out());
    String line = "weir " + String.join(" ", words);
    String commands =
        "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; COMP_LINE='%s'; COMP_POINT=%d; _complete_weir; echo ${COMPREPLY[@]}"
            .formatted(script, line, words.length, line, line.length());
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", commands)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(output).isZero();
    return output.strip();
  }

  @Test
  void completionScript_completesCommandsAndFlags() throws Exception {
    assertThat(complete("doc")).isEqualTo("doctor");
    assertThat(complete("rules", "val")).isEqualTo("validate");
    assertThat(complete("serve", "--http-p").split(" ", -1)).contains("--http-port");
    assertThat(complete("rules", "apply", "--dry").split(" ", -1)).contains("--dry-run");
  }
}
