package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.DecisionServer;
import io.weir.server.DocumentationExample;
import io.weir.server.RunningServer;
import io.weir.server.config.ServerConfig;
import io.weir.testkit.Await;
import io.weir.testkit.ToolRequirement;
import io.weir.testkit.redis.RedisProcess;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Runs the commands of README.md and docs in a shell, page by page from top to bottom. curl calls a
 * real server; weir runs in this process with the arguments that the shell passes.
 */
@Tag("slow")
@Timeout(240)
class DocsCommandsTest {
  private static final String STORE_AVAILABLE = "\"store\":{\"available\":true}";
  private static final String TOKEN = "open-sesame-open-sesame";

  /** Six rules, so that the rule that docs/operate/admin-api.md adds is revision 7. */
  private static final String RULES =
      """
      rules:
        - { id: five-a-minute, match: { user: "*" }, per: [user], limit: 5/minute }
        - { id: orders, match: { endpoint: "GET /v1/orders/**" }, per: [user], limit: 10/second }
        - { id: login, match: { endpoint: "POST /login" }, per: [ip], limit: 5/minute }
        - { id: reports, match: { endpoint: "GET /reports/**" }, per: [user], limit: 5/minute }
        - { id: search, match: { endpoint: "GET /search" }, per: [user], limit: 5/minute }
        - { id: uploads, match: { endpoint: "PUT /**" }, per: [user], limit: 5/minute }
      """;

  /** Files that the commands read. */
  private static final Map<String, String> FILES =
      Map.of(
          "rules.yaml", RULES,
          "api.yaml", "{ id: api, per: [user], limit: 200/minute }\n",
          "requests.csv", "0.0,a\n0.1,a,3\n0.2,b\n",
          "access.log",
              "203.0.113.9 - ann [10/Oct/2026:13:55:36 +0000] \"GET /v1/orders HTTP/1.1\" 200 12\n",
          "ratelimit.yaml",
              """
              domain: edge
              descriptors:
                - key: user
                  rate_limit: { unit: minute, requests_per_unit: 5 }
              """);

  /** Reads only the first line of an endless stream; writes the status to standard error. */
  private static final String CURL_FUNCTION =
      """
      curl() {
        local call=(command curl -s -m 60 -w '%{stderr}%{http_code} %{url_effective}\\n' "$@")
        if [[ " $* " == *" -N "* ]]; then "${call[@]}" | head -n 1; else "${call[@]}"; fi
      }
      """;

  private static final String WEIR_STUB =
      """
      #!/usr/bin/env bash
      IFS=$'\\x1f'
      echo "$*" >> "$(dirname "$0")/calls"
      """;

  @TempDir static Path data;
  private static RedisProcess redis;
  private static RunningServer server;
  private static String apiKeyId;

  @BeforeAll
  static void start() {
    ToolRequirement.require(
        isInstalled("bash") && isInstalled("curl"),
        "bash or curl is missing: commands are not run");
    redis = RedisProcess.start();
    String url = "jdbc:h2:file:" + data.resolve("h2").toAbsolutePath();
    try (DatabaseRules database = DatabaseRules.open(url)) {
      Rules.read("rules", RULES).forEach(rule -> database.put(rule, "docs", 0));
      apiKeyId = database.keys().create("acme", "pro", "docs").id();
    }
    server =
        RunningServer.start(data, RULES, "rules", url, "admin-port", "0", "admin-token", TOKEN);
    for (int i = 0; i < 5; i++) {
      assertThat(server.checkStatus("42")).isEqualTo(200);
    }
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
      redis.close();
    }
  }

  static Stream<String> pages() {
    return DocumentationExample.pages().stream().filter(page -> !shellBlocks(page).isEmpty());
  }

  /** Only known commands are run, since an unmarked block could be harmful. */
  private static List<DocumentationExample> shellBlocks(String page) {
    return DocumentationExample.readPage(page).stream()
        .filter(block -> block.isShell() && block.marker().isEmpty())
        .filter(block -> block.commands().stream().allMatch(DocsTest.COMMAND.asMatchPredicate()))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void documentedCommands_produceDocumentedOutput(String page, @TempDir Path folder)
      throws Exception {
    for (Map.Entry<String, String> file : FILES.entrySet()) {
      Files.writeString(folder.resolve(file.getKey()), file.getValue());
    }
    List<String> commands = shellBlocks(page).stream().flatMap(b -> b.commands().stream()).toList();
    String output = run(commands, folder);
    for (DocumentationExample block : shellBlocks(page)) {
      for (String shown : block.expectedOutput()) {
        assertThat(maskNumbers(output)).as("%s", block).contains(maskNumbers(shown).split("…", -1));
      }
    }
    List<String> answers = Files.readAllLines(folder.resolve("err"));
    assertThat(answers)
        .as(page)
        .allMatch(answer -> answer.matches("(20[014]|429) .*"), "succeeded or was refused");
    assertThat(answers).as(page).hasSize(count(commands, "curl "));
    Path calls = folder.resolve("calls");
    List<String> weir = Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    assertThat(weir).as(page).hasSize(count(commands, "weir ") + count(commands, "./weir "));
    for (String words : weir) {
      runWeir(List.of(words.split("\u001f", -1)), folder);
    }
  }

  private static String run(List<String> commands, Path folder) throws Exception {
    Path script = folder.resolve("page.sh");
    String lines =
        String.join("\n", commands.stream().map(c -> withTestAddresses(c, folder)).toList());
    Files.writeString(script, CURL_FUNCTION + lines + "\n");
    Path weir = Files.writeString(folder.resolve("weir"), WEIR_STUB);
    assertThat(weir.toFile().setExecutable(true)).isTrue();
    ProcessBuilder bash = new ProcessBuilder("bash", script.toString()).directory(folder.toFile());
    bash.environment()
        .merge("PATH", folder.toString(), (path, own) -> own + File.pathSeparator + path);
    bash.environment().put("WEIR_ADMIN_TOKEN", TOKEN);
    bash.redirectError(folder.resolve("err").toFile());
    Process process = bash.start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      return output;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Replaces addresses and files in a command by those of this test. */
  private static String withTestAddresses(String command, Path folder) {
    return command
        .replace("127.0.0.1:8080", "127.0.0.1:" + server.port("http"))
        .replace("127.0.0.1:9090", "127.0.0.1:" + server.port("admin"))
        .replace("k3v9x0q2m1ab", apiKeyId)
        .replaceAll("redis://[\\w.]+:6379", redis.uri())
        .replaceAll("(--[a-z]+-port) \\d+", "$1 0")
        .replaceAll("(?<![\\w./])(\\w+\\.(?:yaml|csv|log))\\b", folder + "/$1")
        .replaceAll(" …$", "");
  }

  private static void runWeir(List<String> words, Path folder) throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_RULES", "file:" + folder.resolve("rules.yaml"));
    environment.put("WEIR_DATA", folder.resolve("data").toString());
    for (String listener : List.of("HTTP", "GRPC", "GATEWAY", "ADMIN")) {
      environment.put("WEIR_" + listener + "_PORT", "0");
      environment.put("WEIR_" + listener + "_HOST", "127.0.0.1");
    }
    if (words.get(0).equals("serve")) {
      startAndStopServer(words, environment);
    } else {
      CommandRun ran = CommandRun.of(environment, words.toArray(String[]::new));
      assertThat(ran.err()).isEmpty();
      assertThat(ran.exitCode()).as(ran.out()).isZero();
    }
  }

  private static void startAndStopServer(List<String> words, Map<String, String> environment) {
    CommandLine.ParseResult parsed =
        Main.commandLine(environment).parseArgs(words.toArray(String[]::new));
    ServerConfig config = SettingOptions.read(parsed.subcommand().commandSpec(), environment);
    try (DecisionServer serving = DecisionServer.start(config)) {
      assertThat(serving.port("http")).isPresent();
      assertThat(serving.port("gateway").isPresent()).isEqualTo(words.contains("--upstream"));
      assertThat(serving.summary()).contains("POST /v1/check");
      String health = "http://127.0.0.1:" + serving.port("admin").orElseThrow() + "/health";
      Await.until(
          Duration.ofSeconds(30),
          "its store is available",
          () -> get(health).contains(STORE_AVAILABLE));
    }
  }

  private static String get(String url) {
    try (InputStream answer = URI.create(url).toURL().openStream()) {
      return new String(answer.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int count(List<String> commands, String beginning) {
    return (int) commands.stream().filter(command -> command.startsWith(beginning)).count();
  }

  private static String maskNumbers(String text) {
    return text.replaceAll("\\d+", "0").replace("\r", "");
  }

  private static boolean isInstalled(String program) {
    try {
      Process process = new ProcessBuilder(program, "--version").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
