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

/** The filters of a WebFlux application: one after Spring Security and, if present, one before. */
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
      RateLimitService service,
      WebFluxHandlerMethods handlers,
      Environment environment,
      ObjectProvider<AnonymousPrincipals> anonymousPrincipals) {
    Predicate<Principal> anonymous = anonymousPrincipals.getIfAvailable(() -> principal -> false);
    return new RateLimitWebFilter(
        service,
        handlers,
        FilterStage.AFTER_AUTHENTICATION,
        FilterOrders.afterSecurity(environment),
        anonymous);
  }

  /** Tests whether a principal is anonymous. */
  interface AnonymousPrincipals extends Predicate<Principal> {}

  /** Beans that need Spring Security. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.security.web.server.WebFilterChainProxy")
  static class SpringSecurityConfiguration {

    @Bean
    RateLimitWebFilter weirEarlyWebFilter(
        RateLimitService service, WebFluxHandlerMethods handlers, Environment environment) {
      return new RateLimitWebFilter(
          service,
          handlers,
          FilterStage.BEFORE_AUTHENTICATION,
          FilterOrders.beforeSecurity(environment),
          principal -> false);
    }

    @Bean
    AnonymousPrincipals weirAnonymousPrincipals() {
      AuthenticationTrustResolverImpl trust = new AuthenticationTrustResolverImpl();
      return principal -> principal instanceof Authentication token && trust.isAnonymous(token);
    }
  }
}
