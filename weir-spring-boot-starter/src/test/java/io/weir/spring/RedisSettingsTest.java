package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** The conversion of {@code spring.data.redis} to a store address. */
class RedisSettingsTest {

  @Test
  void supportedSettings_becomeStoreAddress() {
    assertThat(address()).isEmpty();
    assertThat(address("repositories.enabled", "false")).isEmpty();
    assertThat(address("host", "cache")).contains("redis://cache:6379");
    assertThat(address("port", "6380")).contains("redis://localhost:6380");
    assertThat(address("url", "rediss://u:p@cache:1/2")).contains("rediss://u:p@cache:1/2");
    assertThat(
            address(
                "host",
                "::1",
                "username",
                "u",
                "password",
                "a/b@c",
                "database",
                "3",
                "ssl.enabled",
                "true"))
        .contains("rediss://u:a%2Fb%40c@[::1]:6379/3");
    assertThat(address("cluster.nodes", "a:1,b:2", "password", "p"))
        .contains("redis-cluster://:p@a:1,b:2");
    assertThat(address("sentinel.nodes", "a:1,b:2", "sentinel.master", "main"))
        .contains("redis-sentinel://a:1,b:2/main");
  }

  @Test
  void unsupportedSettings_areRejected() {
    assertThatThrownBy(() -> address("host", "cache", "ssl.bundle", "mine"))
        .isInstanceOf(StartFailureException.class)
        .hasMessageContaining("spring.data.redis.ssl.bundle");
    assertThatThrownBy(
            () ->
                address("sentinel.nodes", "a:1", "sentinel.master", "m", "sentinel.password", "p"))
        .isInstanceOf(StartFailureException.class);
  }

  private static Optional<String> address(String... pairs) {
    MockEnvironment environment = new MockEnvironment();
    for (int i = 0; i < pairs.length; i += 2) {
      environment.setProperty("spring.data.redis." + pairs[i], pairs[i + 1]);
    }
    return RedisSettings.address(environment);
  }
}
