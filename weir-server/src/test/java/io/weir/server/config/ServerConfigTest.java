package io.weir.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.text.InvalidConfigurationException;
import io.weir.testkit.CapturedLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings are read from flags, environment and file, in that order; errors have a position. */
class ServerConfigTest {
  @TempDir Path folder;

  private ServerConfig readConfig(String text) throws IOException {
    return ServerConfig.read(Map.of(), Map.of(), Optional.of(writeFile(text)));
  }

  private Path writeFile(String text) throws IOException {
    return Files.writeString(folder.resolve("weir.yaml"), text);
  }

  @Test
  void exampleFile_isRead() throws IOException {
    ServerConfig config =
        readConfig(
            """
            store: redis://user:secret@localhost:6379
            store-deadline: 7ms
            rules: jdbc:h2:file:./weir-data/rules
            node: node-1
            region: eu-west-1
            http: { port: 8090 }
            grpc: { port: off }
            gateway: { port: 8000, upstream: "http://127.0.0.1:3000" }
            admin: { port: 9090, token: "0123456789abcdef" }
            identity:
              trusted-proxies: [10.0.0.0/8, 192.168.0.0/16]
              api-key: { header: X-Key }
              jwt: { secret: "a secret of some length" }
            """);
    assertThat(config.get(ServerSettings.STORE)).startsWith("redis://");
    assertThat(config.get(ServerSettings.STORE_DEADLINE)).isEqualTo(Duration.ofMillis(7));
    assertThat(config.get(ServerSettings.NODE)).contains("node-1");
    assertThat(config.get(ServerSettings.HTTP_PORT)).isEqualTo(OptionalInt.of(8090));
    assertThat(config.get(ServerSettings.GRPC_PORT)).isEmpty();
    assertThat(config.get(ServerSettings.UPSTREAM)).contains("http://127.0.0.1:3000");
    assertThat(config.get(ServerSettings.TRUSTED_PROXIES))
        .isEqualTo(List.of("10.0.0.0/8", "192.168.0.0/16"));
    assertThat(config.get(ServerSettings.API_KEY_HEADER)).isEqualTo("X-Key");
    assertThat(config.get(ServerSettings.JWT_SECRET)).contains("a secret of some length");
  }

  @Test
  void flag_overridesEnvironmentWhichOverridesFile() throws IOException {
    Path file = writeFile("http: {port: 1}\ngrpc: {port: 1}\nadmin: {port: 1}\n");
    ServerConfig config =
        ServerConfig.read(
            Map.of("http-port", "3"),
            Map.of("WEIR_HTTP_PORT", "2", "WEIR_GRPC_PORT", "2"),
            Optional.of(file));
    assertThat(config.get(ServerSettings.HTTP_PORT)).isEqualTo(OptionalInt.of(3));
    assertThat(config.get(ServerSettings.GRPC_PORT)).isEqualTo(OptionalInt.of(2));
    assertThat(config.get(ServerSettings.ADMIN_PORT)).isEqualTo(OptionalInt.of(1));
    assertThat(config.get(ServerSettings.GATEWAY_PORT)).isEqualTo(OptionalInt.of(8000));
  }

  @Test
  void misspelledVariable_isLogged() {
    Map<String, String> environment =
        Map.of(
            "WEIR_HTTP_PROT", "3", "WEIR_GRPC_PORT", "2", "WEIR_SERVICE_HOST", "10.0.0.1", "X", "");
    try (CapturedLogs log = new CapturedLogs()) {
      ServerConfig config = ServerConfig.read(Map.of(), environment, Optional.empty());
      assertThat(config.get(ServerSettings.HTTP_PORT)).isEqualTo(OptionalInt.of(8080));
      assertThat(log.lines())
          .containsExactly("WEIR_HTTP_PROT is not a setting; did you mean WEIR_HTTP_PORT?");
    }
  }

  @Test
  void routes_areMapInFileAndPairsInFlag() throws IOException {
    Map<String, String> routes = Map.of("/a", "http://one:1", "api.example/b", "http://two:2");
    assertThat(
            readConfig("gateway: {routes: {/a: http://one:1, api.example/b: 'http://two:2'}}")
                .get(ServerSettings.ROUTES))
        .isEqualTo(routes);
    String flag = "/a=http://one:1,api.example/b=http://two:2";
    assertThat(ServerConfig.of(Map.of("gateway-routes", flag)).get(ServerSettings.ROUTES))
        .isEqualTo(routes);
  }

  @Test
  void everySetting_hasUniqueNames() {
    Set<String> names = new HashSet<>();
    for (ServerSetting<?> setting : ServerSettings.all()) {
      assertThat(names.add(setting.path())).as(setting.path()).isTrue();
      assertThat(names.add("--" + setting.flag())).as(setting.flag()).isTrue();
      assertThat(names.add(setting.environmentVariable()))
          .as(setting.environmentVariable())
          .isTrue();
      assertThat(setting.help()).isNotBlank();
    }
    assertThat(names)
        .contains("--store", "--rules", "--http-port", "--grpc-port", "--gateway-port")
        .contains("--upstream", "--admin-port", "--admin-token", "--node", "WEIR_STORE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          stor: memory               | weir.yaml:1:1: stor: is not a setting; did you mean store?
          http: {prt: 1}             | weir.yaml:1:8: http.prt: is not a setting; did you mean http.port?
          http: {port: 99999}        | weir.yaml:1:14: http.port: must be a port from 1 to 65535
          http: 8080                 | weir.yaml:1:7: http: must be name: value (was text)
          store: mem                 | weir.yaml:1:8: store:
          store-deadline: fast       | weir.yaml:1:17: store-deadline:
          store-deadline: 1h         | weir.yaml:1:17: store-deadline: must be between 1ms and 1m (was '1h')
          rules: rules.yaml          | weir.yaml:1:8: rules: must be file:PATH
          admin: {token: short}      | weir.yaml:1:16: admin.token: must be at least 16 characters
          gateway: {upstream: here}  | weir.yaml:1:21: gateway.upstream: must be a URL
          identity: {required: yes}  | weir.yaml:1:22: identity.required: must be true or false
          tls: {cert: /no/such.pem}  | weir.yaml:1:13: tls.cert: must be a readable file
          node: a b                  | weir.yaml:1:7: node: must be 1 to 64 letters
          - store                    | weir.yaml:1:1: must be name: value (was a list)
          """)
  void invalidFile_isReportedWithPosition(String text, String message) {
    assertThatThrownBy(() -> readConfig(text))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining(message);
  }

  @Test
  void severalInvalidSettings_areReportedTogetherWithSource() {
    assertThatThrownBy(
            () ->
                ServerConfig.read(
                    Map.of("http-port", "x"), Map.of("WEIR_GRPC_PORT", "y"), Optional.empty()))
        .hasMessageContaining("--http-port: must be a port")
        .hasMessageContaining("WEIR_GRPC_PORT: must be a port");
  }

  @Test
  void missingFile_isReported() {
    assertThatThrownBy(
            () -> ServerConfig.read(Map.of(), Map.of(), Optional.of(folder.resolve("none.yaml"))))
        .hasMessageContaining("none.yaml: cannot be read");
  }

  @Test
  void invalidSecret_isNotEchoed() {
    assertThatThrownBy(() -> ServerConfig.of(Map.of("admin-token", "marker")))
        .hasMessageNotContaining("marker");
  }
}
