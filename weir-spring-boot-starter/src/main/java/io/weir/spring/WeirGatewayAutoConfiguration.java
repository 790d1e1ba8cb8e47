package io.weir.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.context.annotation.Bean;

/** Registers the filter {@code Weir} for routes of Spring Cloud Gateway. */
@AutoConfiguration(after = WeirReactiveAutoConfiguration.class)
@ConditionalOnClass(AbstractGatewayFilterFactory.class)
@ConditionalOnBean(RateLimitWebFilter.class)
class WeirGatewayAutoConfiguration {

  @Bean
  WeirGatewayFilterFactory weirGatewayFilterFactory(
      RateLimitService service, WeirProperties settings, SpelExpressions expressions) {
    return new WeirGatewayFilterFactory(service, settings, expressions);
  }
}
