package io.weir.spring;

import io.weir.spring.RateLimitService.FilterStage;
import java.security.Principal;
import java.util.function.Predicate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;

/** The doors of a WebFlux application, one on either side of Spring Security where there is one. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
class WeirReactiveAutoConfiguration {

  @Bean
  WebFluxHandlerMethods weirReactiveHandlers(ObjectProvider<HandlerMapping> mappings) {
    return new WebFluxHandlerMethods(mappings);
  }

  @Bean
  RateLimitWebFilter weirWebFilter(
      RateLimitService desk,
      WebFluxHandlerMethods handlers,
      Environment environment,
      ObjectProvider<AnonymousPrincipals> nobody) {
    Predicate<Principal> anonymous = nobody.getIfAvailable(() -> who -> false);
    return new RateLimitWebFilter(
        desk,
        handlers,
        FilterStage.AFTER_AUTHENTICATION,
        FilterOrders.afterSecurity(environment),
        anonymous);
  }

  /** Tells principals that stand for nobody. */
  interface AnonymousPrincipals extends Predicate<Principal> {}

  /** What is so only where Spring Security is. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.security.web.server.WebFilterChainProxy")
  static class SpringSecurityConfiguration {

    @Bean
    RateLimitWebFilter weirEarlyWebFilter(
        RateLimitService desk, WebFluxHandlerMethods handlers, Environment environment) {
      return new RateLimitWebFilter(
          desk,
          handlers,
          FilterStage.BEFORE_AUTHENTICATION,
          FilterOrders.beforeSecurity(environment),
          who -> false);
    }

    @Bean
    AnonymousPrincipals weirAnonymousPrincipals() {
      AuthenticationTrustResolverImpl trust = new AuthenticationTrustResolverImpl();
      return who -> who instanceof Authentication token && trust.isAnonymous(token);
    }
  }
}
