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
class FeedApplicationTest {
  @Autowired FakeClock clock;
  @LocalServerPort int port;

  @Test
  void fourthRequestWithinASecond_isRefused() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(feed("a").body()).isEqualTo("first of a");
    }
    HttpResponse<String> refused = feed("b");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("1");
    clock.advance(Duration.ofSeconds(1));
    assertThat(feed("b").statusCode()).isEqualTo(200);
  }

  private HttpResponse<String> feed(String name) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + "/feeds/" + name);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
