package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** Every setting has configuration metadata, so that editors can complete it. */
class ConfigurationMetadataTest {

  @Test
  void everySetting_isDescribed() throws IOException {
    try (InputStream in =
        WeirProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      assertThat(in).isNotNull();
      assertThat(new String(in.readAllBytes(), UTF_8))
          .contains(
              "\"weir.mode\"",
              "\"weir.store\"",
              "\"weir.store-deadline\"",
              "\"weir.store-prefix\"",
              "\"weir.rules\"",
              "\"weir.attributes\"",
              "\"weir.identity.trusted-proxies\"",
              "\"weir.identity.forwarded-by\"",
              "\"weir.identity.v6-bits\"",
              "How long a decision may wait for the store");
    }
  }
}
