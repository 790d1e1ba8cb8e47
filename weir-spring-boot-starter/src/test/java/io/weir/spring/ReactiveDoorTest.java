package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.spring.app.Application;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** An application of WebFlux, none of whose event loops may block: BlockHound fails what does. */
@SpringBootTest(
    classes = Application.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:doors.yaml",
      "spring.main.web-application-type=reactive"
    })
class ReactiveDoorTest extends DoorContract {

  @BeforeAll
  static void watch() {
    EventLoops.watch();
  }

  @Test
  void whoBlocksAnEventLoopIsFoundOut() {
    assertThat(caller.status("/blocking")).isEqualTo(500);
  }
}
