package io.weir.http.jwt;

import static io.weir.http.jwt.TestTokens.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JwtSettingsTest {

  @Test
  void insecureSettings_areRejected() {
    assertThatThrownBy(() -> JwtSettings.ofSecret("short"))
        .hasMessage("jwt: the secret is too short for HS256; write at least 32 random characters");
    assertThatThrownBy(() -> JwtSettings.ofSecret(""))
        .hasMessage("jwt: write either a secret or jwks");
    assertThatThrownBy(() -> JwtSettings.ofSecret(SECRET).withAlgorithms(List.of("none")))
        .hasMessage("jwt: algorithms [none] cannot be; write some of [HS256, HS384, HS512]");
    assertThatThrownBy(() -> JwtSettings.ofSecret(SECRET).withAlgorithms(List.of("RS256")))
        .hasMessageContaining("write some of [HS256");
    assertThatThrownBy(() -> JwtSettings.ofKeys("k.json").withAlgorithms(List.of("HS256")))
        .hasMessageContaining("write some of [RS256");
    assertThatThrownBy(() -> JwtSettings.ofKeys("k.json").withAlgorithms(List.of()))
        .hasMessageContaining("algorithms [] cannot be");
    assertThatThrownBy(() -> JwtSettings.ofSecret(SECRET).withLeeway(Duration.ofHours(1)))
        .hasMessageContaining("write 0s to 10m");
    assertThat(JwtSettings.ofSecret(SECRET)).asString().doesNotContain(SECRET);
  }
}
