package io.weir.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.DecisionListener;
import io.weir.Limiter;
import io.weir.metrics.DecisionMetrics;
import io.weir.metrics.NodeHealth;
import io.weir.metrics.NodeMetrics;
import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers Weir's metrics, endpoint and health with Micrometer and Actuator if present. */
@AutoConfiguration(
    after = WeirAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnBean(WeirStatus.class)
class WeirActuatorAutoConfiguration {

  @Bean
  WeirHealth weirHealth(WeirStatus status) {
    return new WeirHealth(status);
  }

  /** Weir's metrics in Micrometer, under the same names as in the server. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  static class MetricsConfiguration {

    @Bean
    NodeMetrics weirMetrics(MeterRegistry registry, Clock clock) {
      return new NodeMetrics(registry, clock);
    }

    @Bean
    DecisionListener weirDecisionMetrics(NodeMetrics metrics) {
      return metrics.decisions();
    }

    @Bean
    StoreListener weirStoreMetrics(NodeMetrics metrics) {
      return metrics.store();
    }

    @Bean
    RulesListener weirRulesMetrics(
        NodeMetrics metrics, ObjectProvider<MergedRuleSource> source, ObjectProvider<Store> store) {
      RulesListener delegate = metrics.rules();
      return new RulesListener() {
        @Override
        public void changed(RuleSet rules) {
          metrics.refresh(
              NodeHealth.of(source.getObject(), store.getObject())); // includes annotation rules
        }

        @Override
        public void rejected(String reason) {
          delegate.rejected(reason);
        }
      };
    }

    @Bean
    DecisionTimer weirDecisionTimer(NodeMetrics metrics) {
      DecisionMetrics decisions = metrics.decisions();
      return new DecisionTimer() {
        @Override
        public long nowMicros() {
          return decisions.now();
        }

        @Override
        public void recordLatencySince(long startMicros) {
          decisions.recordLatencySince(startMicros);
        }
      };
    }

    @Bean
    SmartInitializingSingleton weirGaugeRegistration(
        NodeMetrics metrics,
        MergedRuleSource rules,
        Store store,
        RateLimitService service,
        Limiter limiter) {
      return () ->
          metrics.registerGauges(
              NodeHealth.of(
                  rules,
                  store,
                  () -> limiter.pendingSettlements() + service.pendingSettlements(),
                  service::heldSlots));
    }
  }

  /** The endpoint {@code /actuator/weir}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static class EndpointConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    WeirEndpoint weirEndpoint(WeirStatus status) {
      return new WeirEndpoint(status);
    }
  }

  /** The health indicator for Spring Boot 4; weir-spring-boot3-starter has the one for 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HealthIndicator.class)
  @ConditionalOnEnabledHealthIndicator("weir")
  static class HealthConfiguration {

    @Bean
    HealthIndicator weirHealthIndicator(WeirHealth health) {
      return () -> Health.up().withDetails(health.details()).build();
    }
  }
}
