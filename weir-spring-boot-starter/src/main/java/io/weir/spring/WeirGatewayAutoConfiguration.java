package io.weir.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.context.annotation.Bean;

/** The filter {@code Weir} of Spring Cloud Gateway's routes. */
@AutoConfiguration(after = WeirReactiveAutoConfiguration.class)
@ConditionalOnClass(AbstractGatewayFilterFactory.class)
@ConditionalOnBean(RateLimitWebFilter.class)
class WeirGatewayAutoConfiguration {

  @Bean
  WeirGatewayFilterFactory weirGatewayFilterFactory(
      RateLimitService desk, WeirProperties settings, SpelExpressions expressions) {
    return new WeirGatewayFilterFactory(desk, settings, expressions);
  }
}
