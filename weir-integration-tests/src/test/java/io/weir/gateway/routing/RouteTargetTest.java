package io.weir.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteTargetTest {
  @Test
  void parse_readsUpstreamsAndOptions() {
    RouteTarget target =
        RouteTarget.parse(
            "http://a:1*3 http2://b https://c;balance=hash:user; retries=2;rewrite=/x;"
                + "health-check=/healthz;health-interval=1s;connect-timeout=50ms;upstream-timeout=1m");
    assertThat(target.upstreams()).hasSize(3);
    assertThat(target.upstreams().get(0).weight()).isEqualTo(3);
    assertThat(target.upstreams().get(0).upstream().url()).isEqualTo("http://a:1");
    assertThat(target.upstreams().get(1).upstream().protocol()).isEqualTo(Upstream.Protocol.HTTP_2);
    assertThat(target.upstreams().get(2).upstream().port()).isEqualTo(443);
    assertThat(target.balance()).isEqualTo(BalancePolicy.HASH);
    assertThat(target.hashAttribute()).isEqualTo("user");
    assertThat(target.retries()).isEqualTo(2);
    assertThat(target.healthCheck()).contains("/healthz");
    assertThat(target.healthInterval()).isEqualTo(Duration.ofSeconds(1));
    assertThat(target.connectTimeout()).contains(Duration.ofMillis(50));
    assertThat(target.upstreamTimeout()).contains(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "localhost:3000 | must be a URL such as http://host:port (was 'localhost:3000')",
        "ftp://a | must be a URL such as http://host:port (was 'ftp://a')",
        "http://a/b | must be http://host:port without a path",
        "http://a*0 | the weight of an upstream must be a number from 1 to 1000 (was '0')",
        "http://a;retries=9 | retries must be a number from 0 to 5 (was '9')",
        "http://a;retrys=1 | 'retrys' is not an option of a route; the options are balance",
        "http://a;balance=hash: | balance must be round-robin, least-requests or hash:ATTRIBUTE",
        "http://a;rewrite=x | rewrite must be a path (was 'x'), for example /healthz",
        "http://a;upstream-timeout=5 | upstream-timeout must be a duration (was '5')",
        "http://a;connect-timeout=2d | connect-timeout must be between 1ms and 1 day"
      })
  void invalidTarget_isRejectedWithTheReason(String text, String reason) {
    assertThatThrownBy(() -> RouteTarget.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
