package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.rules.Rules;
import io.weir.testkit.FakeClock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlainServerTest {

  @Test
  void thirdRequestWithinAMinute_isRefused() throws Exception {
    FakeClock clock = new FakeClock();
    Limiter limiter =
        Weir.limiter(Rules.parse("rules: [{id: quotes, per: [ip], limit: 2/minute}]"))
            .clock(clock)
            .build();
    try (PlainServer server = new PlainServer(limiter, 0)) {
      assertThat(get(server).statusCode()).isEqualTo(200);
      assertThat(get(server).headers().firstValue("X-RateLimit-Remaining")).contains("0");
      HttpResponse<String> refused = get(server);
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).contains("30");
      clock.advance(Duration.ofSeconds(30));
      assertThat(get(server).body()).isEqualTo("Festina lente.");
    }
  }

  private static HttpResponse<String> get(PlainServer server) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port());
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
