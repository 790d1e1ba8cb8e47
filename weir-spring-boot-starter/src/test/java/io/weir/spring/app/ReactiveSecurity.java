package io.weir.spring.app;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The users Ann and Ben; {@code /secret} needs authentication. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
class ReactiveSecurity {

  @Bean
  SecurityWebFilterChain chain(ServerHttpSecurity http) {
    return http.authorizeExchange(
            all -> all.pathMatchers("/secret").authenticated().anyExchange().permitAll())
        .httpBasic(withDefaults())
        .anonymous(withDefaults())
        .csrf(csrf -> csrf.disable())
        .build();
  }

  @Bean
  ReactiveUserDetailsService users() {
    return new MapReactiveUserDetailsService(
        User.withUsername("ann").password("{noop}a").build(),
        User.withUsername("ben").password("{noop}b").build());
  }

  /** Blocks an event loop, to test that this is detected. */
  @RestController
  static class BlockingController {

    @GetMapping("/blocking")
    String blocking() throws InterruptedException {
      Thread.sleep(1);
      return "blocking";
    }
  }
}
