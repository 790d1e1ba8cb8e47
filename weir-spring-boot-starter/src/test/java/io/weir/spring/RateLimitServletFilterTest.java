package io.weir.spring;

import io.weir.spring.app.TestApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** An application of servlets. */
@SpringBootTest(
    classes = TestApplication.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.import=classpath:doors.yaml")
class RateLimitServletFilterTest extends RateLimitFilterContract {}
