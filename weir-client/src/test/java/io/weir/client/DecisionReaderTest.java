package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.http.DecisionJson;
import io.weir.http.RateLimitHeaders;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a decision that is written and parsed again reports the same to its caller. */
class DecisionReaderTest {
  private final FakeClock clock = new FakeClock();
  private final DecisionReader reader = new DecisionReader(clock);

  private record StubHttpResponse(String body, Map<String, List<String>> fields)
      implements HttpResponse<String> {
    @Override
    public int statusCode() {
      return 200;
    }

    @Override
    public HttpRequest request() {
      return HttpRequest.newBuilder(uri()).build();
    }

    @Override
    public Optional<HttpResponse<String>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(fields, (n, v) -> true);
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return Optional.empty();
    }

    @Override
    public URI uri() {
      return URI.create("http://h/");
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  private static Map<String, List<String>> fields(Decision decision) {
    Map<String, List<String>> fields = new HashMap<>();
    RateLimitHeaders.write(decision, (n, v) -> fields.put(n, List.of(v)));
    return fields;
  }

  @Test
  void writtenDecision_readsBackTheSame() {
    Rule bucket = Rule.named("bucket").per("user").limit("10/second").burst(25).build();
    Rule leaky = Rule.named("leaky").algorithm("leaky-bucket").limit("5/second").burst(9).build();
    Rule window = Rule.named("window").algorithm("fixed-window").limit("60/hour").build();
    Rule hidden = Rule.named("hidden").limit("2/day").shadow(true).build();
    Rule shut = Rule.named("shut").match("user", "bad").limit("0/day").build();
    Limiter limiter =
        Weir.limiter(RuleSet.of(bucket, leaky, window, hidden, shut)).clock(clock).build();
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      String user = random.nextInt(20) == 0 ? "bad" : "u" + random.nextInt(3);
      int cost = 1 + random.nextInt(30);
      Decision written = limiter.decideNow(Request.of("user", user).cost(cost));
      Decision read =
          reader
              .read(new StubHttpResponse(DecisionJson.format(written), fields(written)), cost)
              .decision();
      assertThat(DecisionJson.format(read)).isEqualTo(DecisionJson.format(written));
      assertThat(read.costExceedsLimit()).isEqualTo(written.costExceedsLimit());
      assertThat(read.shadowRefused()).isEqualTo(written.shadowRefused());
      assertThat(fields(read).get("RateLimit-Policy"))
          .isEqualTo(fields(written).get("RateLimit-Policy"));
      assertThat(fields(read).get("RateLimit")).isEqualTo(fields(written).get("RateLimit"));
      clock.advance(java.time.Duration.ofMillis(random.nextInt(400)));
    }
  }

  @Test
  void fallbackDecision_isDegraded() {
    Decision closed = FallbackLimiter.CLOSED.decideNow(Request.of("user", "42"));
    Decision read =
        reader
            .read(new StubHttpResponse(DecisionJson.format(closed), fields(closed)), 1)
            .decision();
    assertThat(read.degraded()).isTrue();
    assertThat(read.allowed()).isFalse();
    assertThat(read.costExceedsLimit()).isFalse();
    assertThat(read.storeUnavailable()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{\"allowed\":true}",
        "{\"allowed\":true,\"degraded\":false,\"delay_ms\":0,\"revision\":1,\"rules\":[7]}",
        "{\"allowed\":false,\"degraded\":false,\"delay_ms\":0,\"revision\":1,\"rules\":[]}",
        "{\"allowed\":true,\"degraded\":false,\"delay_ms\":-1,\"revision\":1,\"rules\":[]}",
        "{\"allowed\":true,\"degraded\":false,\"delay_ms\":1e99,\"revision\":1,\"rules\":[]}",
        "{\"allowed\":true,\"degraded\":false,\"delay_ms\":0,\"revision\":1,\"rules\":[]} x",
        "{\"a\":\"\\u12\"}",
        "{\"a\":tru}",
        "{\"a\" 1}",
        "<html>"
      })
  void invalidDecision_isRejected(String body) {
    assertThatThrownBy(() -> reader.read(new StubHttpResponse(body, Map.of()), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
