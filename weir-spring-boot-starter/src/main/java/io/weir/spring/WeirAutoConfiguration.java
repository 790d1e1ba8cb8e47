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
  private static final List<String> SECURITY =
      List.of(
          "org.springframework.security.web.FilterChainProxy",
          "org.springframework.security.web.server.WebFilterChainProxy");

  /** Whether Spring Security is there, before and after which requests can be decided on. */
  static boolean isSecured() {
    ClassLoader loader = WeirAutoConfiguration.class.getClassLoader();
    return SECURITY.stream().anyMatch(name -> ClassUtils.isPresent(name, loader));
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
    return OpenStore.open(
        OpenStore.address(settings, environment),
        settings,
        clock,
        listeners.orderedStream().toList());
  }

  @Bean(destroyMethod = "close")
  OpenRules weirWrittenRules(Environment environment, ObjectProvider<RulesListener> listeners) {
    return OpenRules.open(environment, listeners.orderedStream().toList());
  }

  @Bean
  LivePlan weirPlan(OpenRules written, WeirProperties settings) {
    Set<String> own = settings.attributes().keySet();
    boolean secured = isSecured();
    return new LivePlan(
        written.source(),
        settings.mode(),
        rules -> Plan.of(rules, own, secured, settings.identity()::reading));
  }

  @Bean
  Expressions weirExpressions(BeanFactory beans) {
    return new Expressions(beans);
  }

  @Bean
  CallReader weirCallReader(Expressions expressions, WeirProperties settings) {
    return new CallReader(expressions, Map.copyOf(settings.attributes()));
  }

  @Bean
  Limiters weirLimiters(
      Store store,
      Clock clock,
      ObjectProvider<DecisionListener> listeners,
      ObjectProvider<DecisionTimer> timer) {
    return rules -> {
      Weir.Builder builder = Weir.limiter(rules).store(store).clock(clock);
      listeners.orderedStream().forEach(builder::listener);
      Limiter limiter = builder.build();
      DecisionTimer timed = timer.getIfAvailable();
      return timed == null ? limiter : new TimedLimiter(limiter, timed);
    };
  }

  /** Makes limiters that count where all others do and are heard by the same. */
  interface Limiters extends Function<RuleSource, Limiter> {}

  @Bean
  Desk weirDesk(LivePlan plan, CallReader reader, Limiters limiters) {
    return new Desk(plan, reader, limiters);
  }

  /** For the application's own questions: all rules, whatever the attributes it names. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Limiter weirLimiter(LivePlan plan, Limiters limiters) {
    return limiters.apply(plan);
  }

  @Bean
  Summary weirSummary(
      WeirProperties settings,
      Environment environment,
      Store store,
      OpenRules written,
      LivePlan plan) {
    return new Summary(
        settings.mode(), OpenStore.address(settings, environment), store, written, plan);
  }

  @Bean
  Start weirStart(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      OpenRules written,
      LivePlan plan,
      CallReader reader,
      Expressions expressions,
      WeirProperties settings,
      Summary summary,
      ObjectProvider<Handlers> handlers) {
    return new Start(
        environment,
        beans,
        new Start.Parts(written, plan, reader, expressions, settings.attributes(), summary),
        handlers.orderedStream().toList());
  }
}
