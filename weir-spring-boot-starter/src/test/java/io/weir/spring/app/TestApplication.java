package io.weir.spring.app;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** The application under test, with servlets or WebFlux. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
  Quotes.class,
  Tenants.class,
  Logins.class,
  TextRefusal.class,
  SharedLimitController.class,
  ServletSecurity.class,
  ReactiveSecurity.class
})
public class TestApplication {}
