package io.weir.spring;

import io.weir.DecisionListener;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.rule.RuleSource;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * Beans that all filters of an application share: rules, store and limiters.
 *
 * <p>A {@link Clock}, {@link Store} or {@link Limiter} bean of the application replaces the one
 * defined here. All {@link DecisionListener}, {@link StoreListener} and {@link RulesListener} beans
 * are notified.
 */
@AutoConfiguration
@ConditionalOnClass(HandlerMethod.class)
@EnableConfigurationProperties(WeirProperties.class)
class WeirAutoConfiguration {
  private static final List<String> SECURITY_FILTER_CLASSES =
      List.of(
          "org.springframework.security.web.FilterChainProxy",
          "org.springframework.security.web.server.WebFilterChainProxy");

  /** Returns whether Spring Security is on the class path; then filters run before and after it. */
  static boolean hasSpringSecurity() {
    ClassLoader loader = WeirAutoConfiguration.class.getClassLoader();
    return SECURITY_FILTER_CLASSES.stream().anyMatch(name -> ClassUtils.isPresent(name, loader));
  }

  @Bean
  @ConditionalOnMissingBean
  Clock weirClock() {
    return Clock.system();
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Store weirStore(
      WeirProperties settings,
      Environment environment,
      Clock clock,
      ObjectProvider<StoreListener> listeners) {
    return StoreFactory.open(
        StoreFactory.resolveAddress(settings, environment),
        settings,
        clock,
        listeners.orderedStream().toList());
  }

  @Bean(destroyMethod = "close")
  ConfiguredRules weirConfiguredRules(
      Environment environment, ObjectProvider<RulesListener> listeners) {
    return ConfiguredRules.open(environment, listeners.orderedStream().toList());
  }

  @Bean
  MergedRuleSource weirRuleSource(ConfiguredRules configured, WeirProperties settings) {
    Set<String> customAttributes = settings.attributes().keySet();
    boolean secured = hasSpringSecurity();
    return new MergedRuleSource(
        configured.source(),
        settings.mode(),
        rules ->
            StagedRuleSet.of(rules, customAttributes, secured, settings.identity()::resolverFor));
  }

  @Bean
  SpelExpressions weirExpressions(BeanFactory beans) {
    return new SpelExpressions(beans);
  }

  @Bean
  SpringRequestReader weirRequestReader(SpelExpressions expressions, WeirProperties settings) {
    return new SpringRequestReader(expressions, Map.copyOf(settings.attributes()));
  }

  @Bean
  LimiterFactory weirLimiterFactory(
      Store store,
      Clock clock,
      ObjectProvider<DecisionListener> listeners,
      ObjectProvider<DecisionTimer> timer) {
    return rules -> {
      Weir.LimiterBuilder builder = Weir.limiter(rules).store(store).clock(clock);
      listeners.orderedStream().forEach(builder::listener);
      Limiter limiter = builder.build();
      DecisionTimer decisionTimer = timer.getIfAvailable();
      return decisionTimer == null ? limiter : new TimedLimiter(limiter, decisionTimer);
    };
  }

  /** Creates limiters that share one store, clock and set of listeners. */
  interface LimiterFactory extends Function<RuleSource, Limiter> {}

  @Bean
  RateLimitService weirRateLimitService(
      MergedRuleSource ruleSource,
      SpringRequestReader reader,
      LimiterFactory limiters,
      ObjectProvider<RefusalCustomizer> customizer) {
    return new RateLimitService(
        ruleSource,
        reader,
        limiters,
        customizer.getIfAvailable(() -> (decision, response) -> response));
  }

  /** The limiter that an application can inject; it decides by all rules. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Limiter weirLimiter(MergedRuleSource ruleSource, LimiterFactory limiters) {
    return limiters.apply(ruleSource);
  }

  @Bean
  WeirStatus weirStatus(
      WeirProperties settings,
      Environment environment,
      Store store,
      ConfiguredRules configured,
      MergedRuleSource ruleSource) {
    return new WeirStatus(
        settings.mode(),
        StoreFactory.resolveAddress(settings, environment),
        store,
        configured,
        ruleSource);
  }

  @Bean
  WeirStartup weirStartup(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      ConfiguredRules configured,
      MergedRuleSource ruleSource,
      SpringRequestReader reader,
      SpelExpressions expressions,
      WeirProperties settings,
      WeirStatus status,
      ObjectProvider<HandlerMethods<?, ?>> handlers) {
    return new WeirStartup(
        environment,
        beans,
        new WeirStartup.StartupComponents(
            configured, ruleSource, reader, expressions, settings.attributes(), status),
        handlers.orderedStream().toList());
  }
}
