package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

  @ParameterizedTest
  @CsvSource({
    "redis://localhost,                   localhost, 6379, 0",
    "redis://localhost:7000,              localhost, 7000, 0",
    "redis://localhost:7000/,             localhost, 7000, 0",
    "redis://localhost/3,                 localhost, 6379, 3",
    "redis://10.0.0.1:65535/15,           10.0.0.1, 65535, 15",
    "redis://[::1]:7000/1,                [::1], 7000, 1",
    "redis://user:password@localhost:1/2, localhost, 1, 2",
  })
  void singleServerUrl_isParsed(String url, String host, int port, int database) {
    RedisAddress address = RedisAddress.parse(url);
    assertThat(address.kind()).isEqualTo(RedisAddress.RedisAddressKind.SINGLE);
    RedisURI node = address.nodes().get(0);
    assertThat(node.getHost()).isEqualTo(host);
    assertThat(node.getPort()).isEqualTo(port);
    assertThat(node.getDatabase()).isEqualTo(database);
    assertThat(node.isSsl()).isFalse();
  }

  @Test
  void sentinelUrl_isParsed() {
    RedisAddress address = RedisAddress.parse("redis-sentinel://user:secret@a:1,b,[::2]:3/main");
    assertThat(address.kind()).isEqualTo(RedisAddress.RedisAddressKind.SENTINEL);
    RedisURI uri = address.nodes().get(0);
    assertThat(uri.getSentinelMasterId()).isEqualTo("main");
    assertThat(uri.getSentinels()).extracting(RedisURI::getPort).containsExactly(1, 26379, 3);
    assertThat(credentials(uri).getUsername()).isEqualTo("user");
    assertThat(credentials(uri.getSentinels().get(0)).hasPassword()).isFalse();
  }

  @Test
  void clusterUrl_isParsed() {
    RedisAddress address = RedisAddress.parse("redis-cluster://:secret@a:1,b:2,c");
    assertThat(address.kind()).isEqualTo(RedisAddress.RedisAddressKind.CLUSTER);
    assertThat(address.nodes()).extracting(RedisURI::getPort).containsExactly(1, 2, 6379);
    assertThat(address.nodes())
        .allSatisfy(
            node ->
                assertThat(credentials(node).getPassword())
                    .containsExactly("secret".toCharArray()));
  }

  @ParameterizedTest
  @CsvSource({
    "rediss://localhost, true",
    "rediss://localhost?verify=true, true",
    "rediss://localhost:1/0?verify=false, false",
    "'rediss-cluster://a:1,b:2?verify=false', false",
    "rediss-sentinel://a:1/main?verify=false, false",
  })
  void redissUrl_enablesTls(String url, boolean verify) {
    assertThat(RedisAddress.parse(url).nodes())
        .isNotEmpty()
        .allSatisfy(
            node -> {
              assertThat(node.isSsl()).isTrue();
              assertThat(node.isVerifyPeer()).isEqualTo(verify);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "redis://user:a%40b%3Ac@h, user, a@b:c",
    "redis://user:a+b@h,       user, a+b",
    "redis://:secret@h,        '',   secret",
    "redis://secret@h,         '',   secret",
  })
  void percentEncodedCredentials_areDecoded(String url, String user, String password) {
    RedisCredentials credentials = credentials(RedisAddress.parse(url).nodes().get(0));
    assertThat(credentials.getUsername() == null ? "" : credentials.getUsername()).isEqualTo(user);
    assertThat(new String(credentials.getPassword())).isEqualTo(password);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "localhost:6379                  | must be a Redis URL",
        "http://localhost                | must be a Redis URL",
        "redis://                        | must be a Redis URL",
        "redis:localhost                 | must be a Redis URL",
        "redis://localhost/1/2           | must be a Redis URL",
        "redis://h:99999                 | must list its hosts as host:port",
        "redis://h:port                  | must list its hosts as host:port",
        "redis://::1                     | must list its hosts as host:port",
        "redis://a,b                     | redis-sentinel:// or redis-cluster://",
        "redis://h/main                  | for example redis://host:port/0",
        "redis-sentinel://a:1            | must name a master",
        "redis-cluster://a:1/3           | must not name a database",
        "redis://h?timeout=3             | verify=true or verify=false",
        "redis-cluster://a:1,,b          | must list its hosts as host:port",
        "redis://a@b@c                   | must be a Redis URL",
      })
  void invalidUrl_isRejectedWithAdvice(String url, String advice) {
    assertThatThrownBy(() -> RedisStore.at(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(advice)
        .hasMessageContaining(url.substring(url.lastIndexOf('@') + 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://user:hush@h",
        "redis://hush@h:1/2",
        "redis://user:hush@h:99999",
        "redis://user:hush@a,b",
        "redis://user:hush@h/main",
        "redis://user:hush@h?x=y",
        "redis-sentinel://user:hush@a",
        "redis-cluster://user:hush@a/1",
        "http://user:hush@h",
        "user:hush@h",
        "redis:user:hush@h",
        "redis://user:hu/hush@h:1",
        "redis://user:hush@hush@h:1",
        "redis://user:%hush@h",
      })
  void anyUrl_neverShowsItsPassword(String url) {
    String message;
    try {
      message = RedisAddress.parse(url).toString();
    } catch (RuntimeException e) {
      message = e + " " + e.getCause();
    }
    assertThat(message).doesNotContain("hush");
  }

  @Test
  void invalidPercentEncoding_isReportedWithoutPassword() {
    assertThatThrownBy(() -> RedisAddress.parse("redis://user:%hush@h"))
        .hasMessageContaining("for example %25 for %")
        .hasMessageNotContaining("hu")
        .hasNoCause();
  }

  @Test
  void everyAddress_hasConnectTimeout() {
    List<RedisURI> nodes = RedisAddress.parse("redis://h").nodes();
    assertThat(nodes.get(0).getTimeout()).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  private static RedisCredentials credentials(RedisURI uri) {
    RedisCredentials credentials = uri.getCredentialsProvider().resolveCredentials().block();
    if (credentials == null) {
      throw new AssertionError("no credentials");
    }
    return credentials;
  }
}
