package io.weir.testkit.spring;

import io.weir.testkit.FakeClock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Replaces the application's clock and store by a fake clock and a store that runs by it. */
@Configuration(proxyBeanMethods = false)
class WeirTestConfiguration {

  @Bean
  FakeClock weirFakeClock() {
    return new FakeClock();
  }

  @Bean
  ResettableStore weirResettableStore(FakeClock clock) {
    return new ResettableStore(clock);
  }
}
