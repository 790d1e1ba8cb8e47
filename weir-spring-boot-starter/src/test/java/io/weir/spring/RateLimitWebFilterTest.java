package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.spring.app.TestApplication;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** The filters of a WebFlux application; BlockHound makes blocking event loops fail. */
@SpringBootTest(
    classes = TestApplication.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:filter-rules.yaml",
      "spring.main.web-application-type=reactive"
    })
class RateLimitWebFilterTest extends RateLimitFilterContract {

  @BeforeAll
  static void failOnBlocking() {
    EventLoopBlocking.failOnBlocking();
  }

  @Test
  void blockedEventLoop_isDetected() {
    assertThat(client.status("/blocking")).isEqualTo(500);
  }
}
