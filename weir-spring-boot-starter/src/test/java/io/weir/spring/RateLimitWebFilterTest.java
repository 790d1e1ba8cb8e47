package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.spring.app.TestApplication;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** An application of WebFlux, none of whose event loops may block: BlockHound fails what does. */
@SpringBootTest(
    classes = TestApplication.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:doors.yaml",
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
