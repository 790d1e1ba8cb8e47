package io.weir.spring.boot3;

import io.weir.spring.WeirHealth;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The health indicator for Spring Boot 3; Spring Boot 4 moved the types to other packages. */
@AutoConfiguration(afterName = "io.weir.spring.WeirActuatorAutoConfiguration")
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(WeirHealth.class)
@ConditionalOnEnabledHealthIndicator("weir")
class WeirHealthAutoConfiguration {

  @Bean
  HealthIndicator weirHealthIndicator(WeirHealth health) {
    return () -> Health.up().withDetails(health.details()).build();
  }
}
