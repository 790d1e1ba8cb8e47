package io.weir.server.deploy;

import static io.weir.server.deploy.DeployFiles.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.Main;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Dockerfile, the compose file and the systemd unit match the server that is built. */
class DeployFilesTest {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

  @ParameterizedTest
  @ValueSource(strings = {"docker/Dockerfile", "compose/compose.yaml", "systemd/weir.service"})
  void everyVariable_isASetting(String file) throws IOException {
    DeployFiles.assertVariablesAreSettings(DeployFiles.read(file));
  }

  @Test
  void dockerfile_copiesWhatTheBuildProduces() throws IOException {
    String docker = DeployFiles.read("docker/Dockerfile");
    String pom = Files.readString(Path.of("..", "weir-cli", "pom.xml"));
    assertThat(pom)
        .contains("<finalName>weir-server</finalName>", "${project.build.directory}/lib");
    assertThat(pom).contains("<classpathPrefix>lib/</classpathPrefix>");
    assertThat(docker)
        .contains(
            "COPY --from=build /src/weir-cli/target/weir-server.jar /opt/weir/weir-server.jar",
            "COPY --from=build /src/weir-cli/target/lib /opt/weir/lib",
            "ENTRYPOINT [\"/opt/java/bin/java\", \"-jar\", \"/opt/weir/weir-server.jar\"]");
    assertThat(findGroup("EXPOSE ([\\d ]+)", docker).split(" "))
        .containsExactlyInAnyOrder(
            Stream.of(
                    ServerSettings.GATEWAY_PORT,
                    ServerSettings.HTTP_PORT,
                    ServerSettings.GRPC_PORT,
                    ServerSettings.ADMIN_PORT)
                .map(ServerSetting::defaultText)
                .toArray(String[]::new));
    assertThat(docker.lines().filter(line -> line.startsWith("USER ")))
        .hasSize(1)
        .noneMatch(line -> line.matches("USER (root|0)"));
    variables(docker).forEach(DeployFiles::assertValueIsValid);
  }

  @Test
  void jlinkModulesOfTheImage_areSufficient(@TempDir Path folder) throws Exception {
    String modules = findGroup("--add-modules ([\\w.,]+)", DeployFiles.read("docker/Dockerfile"));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx300m",
            "--limit-modules",
            modules,
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            "--http-port",
            "0",
            "--grpc-port",
            "0",
            "--admin-port",
            "0",
            "--upstream",
            "http://127.0.0.1:1",
            "--gateway-port",
            "0",
            "--store",
            "redis://127.0.0.1:1");
    Path out = folder.resolve("out");
    Process serve =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      Await.until(
          START_TIMEOUT,
          "the server is up",
          () -> outputOf(out).contains("/v1/check") || !serve.isAlive());
      assertThat(serve.isAlive()).as(outputOf(out)).isTrue();
      assertThat(outputOf(out))
          .doesNotContain("NoClassDefFoundError", "ClassNotFoundException", "FindException");
    } finally {
      serve.destroyForcibly();
    }
  }

  @Test
  void composeFile_buildsTheImageAndMapsItsPorts() throws IOException {
    Map<?, ?> compose = DeployFiles.readYaml("compose/compose.yaml").get(0);
    Path context =
        DeployFiles.DIRECTORY
            .resolve("compose")
            .resolve((String) at(compose, "x-weir", "build", "context"));
    assertThat(context.resolve((String) at(compose, "x-weir", "build", "dockerfile"))).exists();
    assertThat(context.resolve("weir-cli/pom.xml")).exists();
    List<String> ports =
        Stream.of(ServerSettings.HTTP_PORT, ServerSettings.GRPC_PORT, ServerSettings.ADMIN_PORT)
            .map(ServerSetting::defaultText)
            .toList();
    for (String node : List.of("weir-1", "weir-2")) {
      for (Object port : DeployFiles.list(compose, "services", node, "ports")) {
        assertThat(ports).contains(((String) port).replaceFirst(".*:", ""));
      }
      assertThat(((Map<?, ?>) at(compose, "volumes")).containsKey(node)).isTrue();
    }
    Map<?, ?> settings = (Map<?, ?>) at(compose, "x-weir", "environment");
    settings.forEach(
        (name, value) ->
            DeployFiles.assertValueIsValid(
                (String) name,
                ((String) value).replaceAll("\\$\\{[^}]*}", "a-secret-of-a-test-0123")));
  }

  @Test
  void systemdUnit_usesKnownFlagsAndSettings() throws IOException {
    String start = findGroup("(?m)^ExecStart=(.*)$", DeployFiles.read("systemd/weir.service"));
    assertThat(start).contains(" -jar /opt/weir/weir-server.jar serve ");
    List<String> flags =
        Pattern.compile(" --([a-z-]+)").matcher(start).results().map(m -> m.group(1)).toList();
    assertThat(ServerSettings.all().stream().map(ServerSetting::flag))
        .containsAll(flags.stream().filter(flag -> !flag.equals("config")).toList());
    ServerConfig config =
        ServerConfig.read(
            Map.of(),
            variables(DeployFiles.read("systemd/weir.service")),
            Optional.of(DeployFiles.DIRECTORY.resolve("systemd/weir.yaml")));
    assertThat(config.get(ServerSettings.GRPC_PORT)).isEmpty();
    assertThat(config.get(ServerSettings.STORE)).startsWith("redis://");
  }

  /** The environment variables that a file assigns. */
  private static Map<String, String> variables(String text) {
    return Pattern.compile("(?m)^[^#\\n]*?\\b(WEIR_[A-Z_]+)=(\\S+)")
        .matcher(text)
        .results()
        .collect(Collectors.toMap(m -> m.group(1), m -> m.group(2)));
  }

  private static String findGroup(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.toMatchResult().group(1);
  }

  private static String outputOf(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      return "";
    }
  }
}
