package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.spring.app.TestApplication;
import io.weir.store.Store;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications that share a Redis configured by {@code spring.data.redis}. */
class SpringRedisStoreTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    EventLoopBlocking.failOnBlocking();
    redis = RedisProcess.start("requirepass s3:cret@");
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Test
  void twoInstances_shareOneBudget() {
    try (ConfigurableApplicationContext first = startApplication(WebApplicationType.NONE);
        ConfigurableApplicationContext second = startApplication(WebApplicationType.NONE)) {
      Request ann = Request.of("user", "ann");
      assertThat(first.getBean(WeirStatus.class).describe())
          .contains("store  redis://…@localhost:");
      assertThat(first.getBean(Limiter.class).decideNow(ann).allowed()).isTrue();
      assertThat(second.getBean(Limiter.class).decideNow(ann).allowed()).isTrue();
      assertThat(first.getBean(Limiter.class).decideNow(ann).allowed()).isFalse();
    }
  }

  @Test
  void reactiveApplication_waitsForRedisWithoutBlockingEventLoops() {
    try (ConfigurableApplicationContext app = startApplication(WebApplicationType.REACTIVE)) {
      SpringAppClient caller = SpringAppClient.forApplication(app);
      assertThat(caller.status("/quote")).isEqualTo(200);
      assertThat(caller.status("/quote")).isEqualTo(200);
      assertThat(caller.status("/quote")).isEqualTo(429);
      assertThat(app.getBean(Store.class).health().degradedDecisions()).isZero();
    }
  }

  /** With the default deadline of 5 ms, over a new connection to a server without the script. */
  @Test
  void firstDecisionOfAFreshApplication_isNotDegraded() {
    for (int i = 0; i < 3; i++) {
      try (RedisProcess server = RedisProcess.start();
          ConfigurableApplicationContext app =
              new SpringApplicationBuilder(WeirStartupTest.MinimalApplication.class)
                  .web(WebApplicationType.NONE)
                  .properties("weir.store=" + server.uri())
                  .properties("weir.rules[0].id=api", "weir.rules[0].limit=1/m")
                  .run()) {
        assertThat(app.getBean(Limiter.class).decideNow(Request.of()).degraded()).isFalse();
      }
    }
  }

  @Test
  void redisDown_applicationIsUpAndDegraded() {
    try (RedisProcess server = RedisProcess.start();
        ConfigurableApplicationContext app =
            new SpringApplicationBuilder(MonitoredApplication.class)
                .web(WebApplicationType.NONE)
                .properties("weir.store=" + server.uri(), "weir.store-deadline=2s")
                .properties("weir.rules[0].id=api", "weir.rules[0].limit=1/m")
                .run()) {
      Limiter limiter = app.getBean(Limiter.class);
      assertThat(limiter.decideNow(Request.of()).allowed()).isTrue();
      assertThat(limiter.decideNow(Request.of()).allowed()).isFalse();
      server.kill();
      Await.until(
          TIMEOUT,
          "a degraded decision",
          () -> limiter.decideNow(Request.of("ip", "10.0.0.1")).degraded());
      assertThat(app.getBean(WeirHealth.class).details()).containsEntry("degraded", true);
    }
  }

  /** An application with Weir and its health only. */
  @SpringBootConfiguration
  @ImportAutoConfiguration({WeirAutoConfiguration.class, WeirActuatorAutoConfiguration.class})
  static class MonitoredApplication {}

  private static ConfigurableApplicationContext startApplication(WebApplicationType type) {
    Class<?> app =
        type == WebApplicationType.NONE
            ? WeirStartupTest.MinimalApplication.class
            : TestApplication.class;
    return new SpringApplicationBuilder(app)
        .web(type)
        .properties(
            "server.port=0",
            "spring.data.redis.host=localhost",
            "spring.data.redis.port=" + redis.port(),
            "spring.data.redis.password=s3:cret@",
            "weir.store-deadline=2s",
            "weir.rules[0].id=api",
            "weir.rules[0].match.user=*",
            "weir.rules[0].per=user",
            "weir.rules[0].limit=2/m")
        .run();
  }
}
