package io.weir.spring;

import io.weir.spring.RateLimitService.FilterStage;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;

/** The filters of a servlet application: one after Spring Security and, if present, one before. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
class WeirServletAutoConfiguration {

  @Bean
  ServletHandlerMethods weirServletHandlers(ObjectProvider<HandlerMapping> mappings) {
    return new ServletHandlerMethods(mappings);
  }

  @Bean
  @ConditionalOnClass(name = "org.springframework.security.web.FilterChainProxy")
  FilterRegistrationBean<Filter> weirEarlyFilter(
      RateLimitService service, ServletHandlerMethods handlers, Environment environment) {
    return register(
        new RateLimitServletFilter(service, handlers, FilterStage.BEFORE_AUTHENTICATION),
        FilterOrders.beforeSecurity(environment));
  }

  @Bean
  FilterRegistrationBean<Filter> weirFilter(
      RateLimitService service, ServletHandlerMethods handlers, Environment environment) {
    return register(
        new RateLimitServletFilter(service, handlers, FilterStage.AFTER_AUTHENTICATION),
        FilterOrders.afterSecurity(environment));
  }

  private static FilterRegistrationBean<Filter> register(Filter filter, int order) {
    FilterRegistrationBean<Filter> bean = new FilterRegistrationBean<>(filter);
    bean.setOrder(order);
    return bean;
  }
}
