package io.weir.spring;

import io.weir.spring.app.TestApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** The filters of a servlet application. */
@SpringBootTest(
    classes = TestApplication.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.import=classpath:filter-rules.yaml")
class RateLimitServletFilterTest extends RateLimitFilterContract {}
