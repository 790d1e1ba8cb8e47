package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.DocumentationExample;
import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands run in their own processes. */
@Tag("slow")
@Timeout(240)
class CliProcessTest {
  private static final Duration PROCESS_TIMEOUT = Duration.ofMinutes(2);

  @TempDir Path folder;

  private Process start(String... arguments) throws IOException {
    return start(Map.of(), arguments);
  }

  private Process start(Map<String, String> environment, String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx300m", "-Xlog:class+load:file=loaded"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.add(Main.class.getName());
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().put("LC_ALL", "C");
    builder.environment().putAll(environment);
    builder.redirectOutput(folder.resolve("out").toFile());
    builder.redirectError(folder.resolve("err").toFile());
    return builder.start();
  }

  private CommandRun run(String... arguments) throws Exception {
    Process process = start(arguments);
    assertThat(process.waitFor(PROCESS_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new CommandRun(process.exitValue(), readOutput("out"), readOutput("err"));
  }

  private String readOutput(String name) throws IOException {
    return Files.readString(folder.resolve(name), UTF_8);
  }

  @Test
  void noServerAtAddress_isOneLineErrorWithoutLog() throws Exception {
    CommandRun ran = run("check", "user=1", "--server", "http://127.0.0.1:1");
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith("weir: http://127.0.0.1:1 cannot be reached; start a server")
        .hasLineCount(1);
  }

  @Test
  void asciiLocale_outputIsUtf8() throws Exception {
    Files.writeString(folder.resolve("a.yaml"), "rules: [{id: a, limit: 1/s}]");
    Files.writeString(folder.resolve("b.yaml"), "rules: [{id: a, limit: 2/s}]");
    CommandRun ran = run("rules", "diff", "b.yaml", "--rules", "file:a.yaml");
    assertThat(ran.exitCode()).isEqualTo(RulesDiffCommand.EXIT_DIFFERENT);
    assertThat(ran.out()).contains("    limit: 1/second → 2/second\n").doesNotContain("\u001b");
  }

  @Test
  void runningServer_locksDatabaseUntilStopped() throws Exception {
    String url = "jdbc:h2:file:" + folder.resolve("h2");
    Process serve =
        start(
            "serve",
            "--rules",
            url,
            "--http-port",
            "0",
            "--grpc-port",
            "off",
            "--admin-port",
            "off");
    try {
      Await.until(
          PROCESS_TIMEOUT,
          "the server is ready",
          () -> outputContains("POST /v1/check") || !serve.isAlive());
      assertThat(serve.isAlive()).as(readOutput("err")).isTrue();
      assertThat(CommandRun.of("rules", "list", "--rules", url))
          .isEqualTo(
              new CommandRun(
                  Main.EXIT_ERROR,
                  "",
                  "weir: %s is locked by another process, such as a running server; use that server: write --server http://127.0.0.1:9090 --token TOKEN%n"
                      .formatted(url)));
      serve.destroy();
      assertThat(serve.waitFor(PROCESS_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      serve.destroyForcibly();
    }
    assertThat(CommandRun.of("rules", "list", "--rules", url).exitCode()).isZero();
  }

  @Test
  void readyServer_hasLoadedDecisionClasses() throws Exception {
    Process serve = start("serve", "--http-port", "0", "--grpc-port", "off", "--admin-port", "off");
    try {
      Await.until(
          PROCESS_TIMEOUT,
          "the server is ready",
          () -> outputContains("POST /v1/check") || !serve.isAlive());
      long before = readOutput("loaded").lines().count();
      CommandRun check = CommandRun.of("check", "user=first", "--server", httpUrl());
      assertThat(check.exitCode()).as(check.err()).isZero();
      long loadedForTheFirst = readOutput("loaded").lines().count() - before;
      assertThat(loadedForTheFirst).as("of %s classes", before).isLessThan(200);
    } finally {
      serve.destroyForcibly();
    }
  }

  private String httpUrl() throws IOException {
    Matcher url = Pattern.compile("http +(http://\\S+)").matcher(readOutput("out"));
    assertThat(url.find()).isTrue();
    return url.group(1);
  }

  @Test
  void demo_printsReadmeOutputAndRefusesSixthRequest() throws Exception {
    Process demo = start("demo");
    try {
      Await.until(
          PROCESS_TIMEOUT,
          "the demo is ready",
          () -> outputContains("Ctrl-C stops it") || !demo.isAlive());
      assertThat(demo.isAlive()).as(readOutput("err")).isTrue();
      DocumentationExample shown =
          DocumentationExample.readPage("README.md").stream()
              .filter(b -> b.language().equals("text"))
              .findFirst()
              .get();
      for (String line : maskNumbers(shown.text()).lines().toList()) {
        assertThat(maskNumbers(readOutput("out"))).contains(line.split("…", -1));
      }
      for (int i = 0; i < 6; i++) {
        CommandRun check = CommandRun.of("check", "user=readme", "--server", httpUrl());
        assertThat(check.exitCode()).as(check.err()).isEqualTo(i < 5 ? 0 : 2);
      }
      demo.destroy();
      assertThat(demo.waitFor(PROCESS_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      demo.destroyForcibly();
    }
  }

  /** Masks numbers, since ports differ in a test. */
  private static String maskNumbers(String text) {
    return text.replaceAll("\\d+", "0");
  }

  @Test
  void demoWithPortFlagsAndVariables_usesThem() throws Exception {
    Process demo =
        start(
            Map.of("WEIR_NODE", "mine", "WEIR_GATEWAY_PORT", "off", "WEIR_HTTP_PORT", "1"),
            "demo",
            "--http-port",
            "0",
            "--grpc-port",
            "off",
            "--admin-port",
            "0");
    try {
      Await.until(
          PROCESS_TIMEOUT,
          "the demo is ready",
          () -> outputContains("Ctrl-C stops it") || !demo.isAlive());
      assertThat(demo.isAlive()).as(readOutput("err")).isTrue();
      assertThat(readOutput("out"))
          .contains("Weir, node mine", "rules, revision", "grpc     closed", "gateway  closed")
          .doesNotContain("through the gateway", "127.0.0.1:1 ", "127.0.0.1:9090");
      CommandRun check = CommandRun.of("check", "user=first", "--server", httpUrl());
      assertThat(check.exitCode()).as(check.err()).isZero();
    } finally {
      demo.destroy();
      assertThat(demo.waitFor(PROCESS_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      demo.destroyForcibly();
    }
  }

  private boolean outputContains(String text) {
    try {
      return readOutput("out").contains(text);
    } catch (IOException e) {
      return false;
    }
  }
}
