package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.FakeClock;
import io.weir.testkit.spring.WeirTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@WeirTest
class QuoteApplicationTest {
  @Autowired FakeClock clock;
  @LocalServerPort int port;

  @Test
  void eleventhRequestWithinAMinute_isRefused() throws Exception {
    for (int i = 0; i < 10; i++) {
      assertThat(quote().statusCode()).isEqualTo(200);
    }
    assertThat(quote().statusCode()).isEqualTo(429);
    clock.advance(Duration.ofSeconds(6));
    assertThat(quote().body()).isEqualTo("Festina lente.");
  }

  private HttpResponse<String> quote() throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + "/quote");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
