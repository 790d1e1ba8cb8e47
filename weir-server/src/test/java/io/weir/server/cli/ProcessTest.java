package io.weir.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Block;
import io.weir.testkit.Soon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands as processes of their own, as people run them. */
@Tag("slow")
@Timeout(240)
class ProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;

  private Process start(String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx300m", "-Xlog:class+load:file=loaded"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.add(Main.class.getName());
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().put("LC_ALL", "C");
    builder.redirectOutput(folder.resolve("out").toFile());
    builder.redirectError(folder.resolve("err").toFile());
    return builder.start();
  }

  private Ran run(String... arguments) throws Exception {
    Process process = start(arguments);
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new Ran(process.exitValue(), said("out"), said("err"));
  }

  private String said(String name) throws IOException {
    return Files.readString(folder.resolve(name), UTF_8);
  }

  @Test
  void nobodyThereIsOneLineAndNoLog() throws Exception {
    Ran ran = run("check", "user=1", "--server", "http://127.0.0.1:1");
    assertThat(ran.code()).isEqualTo(Main.WRONG);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith("weir: http://127.0.0.1:1 cannot be reached; start a server")
        .hasLineCount(1);
  }

  @Test
  void arrowsAreArrowsWhereTheLocaleKnowsNone() throws Exception {
    Files.writeString(folder.resolve("a.yaml"), "rules: [{id: a, limit: 1/s}]");
    Files.writeString(folder.resolve("b.yaml"), "rules: [{id: a, limit: 2/s}]");
    Ran ran = run("rules", "diff", "b.yaml", "--rules", "file:a.yaml");
    assertThat(ran.code()).isEqualTo(RulesDiffer.DIFFERENT);
    assertThat(ran.out()).contains("    limit: 1/second → 2/second\n").doesNotContain("\u001b");
  }

  @Test
  void aServerHoldsItsDatabaseAndStopsWhenTold() throws Exception {
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
      Soon.until(PATIENCE, "it serves", () -> hasSaid("POST /v1/check") || !serve.isAlive());
      assertThat(serve.isAlive()).as(said("err")).isTrue();
      assertThat(Ran.of("rules", "list", "--rules", url))
          .isEqualTo(
              new Ran(
                  Main.WRONG,
                  "",
                  "weir: %s is held by another process, such as a running server; ask that one: write --server http://127.0.0.1:9090 --token TOKEN%n"
                      .formatted(url)));
      serve.destroy();
      assertThat(serve.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      serve.destroyForcibly();
    }
    assertThat(Ran.of("rules", "list", "--rules", url).code()).isZero();
  }

  @Test
  void itIsReadyWhenWhatADecisionNeedsIsLoaded() throws Exception {
    Process serve = start("serve", "--http-port", "0", "--grpc-port", "off", "--admin-port", "off");
    try {
      Soon.until(PATIENCE, "it serves", () -> hasSaid("POST /v1/check") || !serve.isAlive());
      long before = said("loaded").lines().count();
      Ran check = Ran.of("check", "user=first", "--server", door());
      assertThat(check.code()).as(check.err()).isZero();
      long loadedForTheFirst = said("loaded").lines().count() - before;
      assertThat(loadedForTheFirst).as("of %s classes", before).isLessThan(200);
    } finally {
      serve.destroyForcibly();
    }
  }

  private String door() throws IOException {
    Matcher door = Pattern.compile("http +(http://\\S+)").matcher(said("out"));
    assertThat(door.find()).isTrue();
    return door.group(1);
  }

  @Test
  void theDemonstrationIsAsTheReadmeShowsItAndRefusesTheSixth() throws Exception {
    Process demo = start("demo");
    try {
      Soon.until(PATIENCE, "it is shown", () -> hasSaid("Ctrl-C ends it") || !demo.isAlive());
      assertThat(demo.isAlive()).as(said("err")).isTrue();
      Block shown =
          Block.of("README.md").stream().filter(b -> b.kind().equals("text")).findFirst().get();
      for (String line : numberless(shown.text()).lines().toList()) {
        assertThat(numberless(said("out"))).contains(line.split("…", -1));
      }
      for (int i = 0; i < 6; i++) {
        Ran check = Ran.of("check", "user=readme", "--server", door());
        assertThat(check.code()).as(check.err()).isEqualTo(i < 5 ? 0 : 2);
      }
      demo.destroy();
      assertThat(demo.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      demo.destroyForcibly();
    }
  }

  /** Ports that are taken are others in a test. */
  private static String numberless(String text) {
    return text.replaceAll("\\d+", "0");
  }

  private boolean hasSaid(String text) {
    try {
      return said("out").contains(text);
    } catch (IOException e) {
      return false;
    }
  }
}
