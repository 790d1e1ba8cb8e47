package io.weir.testkit.spring;

import io.weir.testkit.FakeClock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts a clock to turn, and counters that go by it, in the place of the application's own. */
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
