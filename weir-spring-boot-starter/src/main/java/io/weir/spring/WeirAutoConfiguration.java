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
 * What every door of an application shares: rules, store, and the limiters over both.
 *
 * <p>A {@link Clock}, a {@link Store} or a {@link Limiter} of the application's own is used instead
 * of one of these; its {@link DecisionListener}s, {@link StoreListener}s and {@link RulesListener}s
 * hear.
 */
@AutoConfiguration
@ConditionalOnClass(HandlerMethod.class)
@EnableConfigurationProperties(WeirProperties.class)
class WeirAutoConfiguration {
  private static final List<String> SECURITY_FILTER_CLASSES =
      List.of(
          "org.springframework.security.web.FilterChainProxy",
          "org.springframework.security.web.server.WebFilterChainProxy");

  /** Whether Spring Security is there, before and after which requests can be decided on. */
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
  MergedRuleSource weirRuleSource(ConfiguredRules written, WeirProperties settings) {
    Set<String> own = settings.attributes().keySet();
    boolean secured = hasSpringSecurity();
    return new MergedRuleSource(
        written.source(),
        settings.mode(),
        rules -> StagedRuleSet.of(rules, own, secured, settings.identity()::resolverFor));
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
      DecisionTimer timed = timer.getIfAvailable();
      return timed == null ? limiter : new TimedLimiter(limiter, timed);
    };
  }

  /** Makes limiters that count where all others do and are heard by the same. */
  interface LimiterFactory extends Function<RuleSource, Limiter> {}

  @Bean
  RateLimitService weirRateLimitService(
      MergedRuleSource plan, SpringRequestReader reader, LimiterFactory limiters) {
    return new RateLimitService(plan, reader, limiters);
  }

  /** For the application's own questions: all rules, whatever the attributes it names. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Limiter weirLimiter(MergedRuleSource plan, LimiterFactory limiters) {
    return limiters.apply(plan);
  }

  @Bean
  WeirStatus weirStatus(
      WeirProperties settings,
      Environment environment,
      Store store,
      ConfiguredRules written,
      MergedRuleSource plan) {
    return new WeirStatus(
        settings.mode(), StoreFactory.resolveAddress(settings, environment), store, written, plan);
  }

  @Bean
  WeirStartup weirStartup(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      ConfiguredRules written,
      MergedRuleSource plan,
      SpringRequestReader reader,
      SpelExpressions expressions,
      WeirProperties settings,
      WeirStatus summary,
      ObjectProvider<HandlerMethods> handlers) {
    return new WeirStartup(
        environment,
        beans,
        new WeirStartup.StartupComponents(
            written, plan, reader, expressions, settings.attributes(), summary),
        handlers.orderedStream().toList());
  }
}
