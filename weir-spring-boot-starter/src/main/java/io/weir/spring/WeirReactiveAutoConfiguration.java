package io.weir.spring;

import io.weir.spring.Desk.Stage;
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
  ReactiveHandlers weirReactiveHandlers(ObjectProvider<HandlerMapping> mappings) {
    return new ReactiveHandlers(mappings);
  }

  @Bean
  ReactiveDoor weirWebFilter(
      Desk desk,
      ReactiveHandlers handlers,
      Environment environment,
      ObjectProvider<Nobody> nobody) {
    Predicate<Principal> anonymous = nobody.getIfAvailable(() -> who -> false);
    return new ReactiveDoor(
        desk, handlers, Stage.AFTER_AUTHENTICATION, Orders.after(environment), anonymous);
  }

  /** Tells principals that stand for nobody. */
  interface Nobody extends Predicate<Principal> {}

  /** What is so only where Spring Security is. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.security.web.server.WebFilterChainProxy")
  static class Secured {

    @Bean
    ReactiveDoor weirEarlyWebFilter(Desk desk, ReactiveHandlers handlers, Environment environment) {
      return new ReactiveDoor(
          desk, handlers, Stage.BEFORE_AUTHENTICATION, Orders.before(environment), who -> false);
    }

    @Bean
    Nobody weirNobody() {
      AuthenticationTrustResolverImpl trust = new AuthenticationTrustResolverImpl();
      return who -> who instanceof Authentication token && trust.isAnonymous(token);
    }
  }
}
