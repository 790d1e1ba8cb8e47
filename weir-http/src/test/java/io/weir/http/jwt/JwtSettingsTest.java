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
        .hasMessage("jwt: the secret is too short for HS256; use at least 32 random characters");
    assertThatThrownBy(() -> JwtSettings.ofSecret(""))
        .hasMessage("jwt: exactly one of secret and jwks must be set");
    assertThatThrownBy(() -> JwtSettings.ofSecret(SECRET).withAlgorithms(List.of("none")))
        .hasMessage("jwt: algorithms must be some of [HS256, HS384, HS512] (was [none])");
    assertThatThrownBy(() -> JwtSettings.ofSecret(SECRET).withAlgorithms(List.of("RS256")))
        .hasMessageContaining("must be some of [HS256");
    assertThatThrownBy(() -> JwtSettings.ofKeys("k.json").withAlgorithms(List.of("HS256")))
        .hasMessageContaining("must be some of [RS256");
    assertThatThrownBy(() -> JwtSettings.ofKeys("k.json").withAlgorithms(List.of()))
        .hasMessageContaining("(was [])");
    assertThatThrownBy(() -> JwtSettings.ofSecret(SECRET).withLeeway(Duration.ofHours(1)))
        .hasMessageContaining("must be between 0s and 10m (was 3600s)");
    assertThat(JwtSettings.ofSecret(SECRET)).asString().doesNotContain(SECRET);
  }
}
