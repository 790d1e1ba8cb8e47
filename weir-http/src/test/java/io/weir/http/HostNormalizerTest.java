package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNormalizerTest {
  private static final EndpointNormalizer ENDPOINTS = new EndpointNormalizer();

  @ParameterizedTest
  @CsvSource({
    "example.com, example.com",
    "Example.COM:443, example.com",
    "example.com., example.com",
    "EXAMPLE.com.:80, example.com",
    "example.com:, example.com",
    "localhost, localhost",
    "my_host-1, my_host-1",
    "192.0.2.1:8080, 192.0.2.1",
    "[2001:DB8:0::1]:443, [2001:db8::1]",
    "[::1], [::1]",
    "[::ffff:192.0.2.1], 192.0.2.1"
  })
  void host_isNormalized(String sent, String host) {
    assertThat(host("/", "Host", sent)).isEqualTo(host);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "a/b",
        "user@a",
        "a:b",
        "a:123456",
        "a:80:80",
        "::1",
        "[::1",
        "[::1]x",
        "[1.2.3.4]",
        "[x]",
        "[]",
        ":80",
        ".",
        "..",
        "a..b",
        ".a",
        "a?",
        "a#",
        "a%41",
        "ex\u00e4mple",
        "\u212a",
        "a\\b",
        "a,b",
        "a\r\n",
        "a;b",
        "[::1]:x"
      })
  void invalidHost_isRejected(String sent) {
    assertThatThrownBy(() -> host("/", "Host", sent)).isInstanceOf(BadRequestException.class);
  }

  @Test
  void duplicateHost_isRejectedAndTargetAuthorityWins() {
    assertThatThrownBy(() -> host("/", "Host", "a", "Host", "a"))
        .isInstanceOf(BadRequestException.class);
    assertThatThrownBy(() -> host("/", "Host", "x".repeat(256)))
        .isInstanceOf(BadRequestException.class);
    assertThat(host("http://B.example:1/x", "Host", "a")).isEqualTo("b.example");
    for (String target : new String[] {"http:///x", "http://u@a/x", "http://a%2eb/x"}) {
      assertThatThrownBy(() -> host(target)).as(target).isInstanceOf(BadRequestException.class);
    }
  }

  @Test
  void missingHost_isNull() {
    assertThat(host("/")).isNull();
    assertThat(host("/", "Host", "")).isNull();
  }

  private static @Nullable String host(String target, String... fields) {
    return HostNormalizer.hostOf(ENDPOINTS.normalize("GET", target), TestRequestHeaders.of(fields));
  }
}
