package io.weir.spring;

import org.springframework.core.env.Environment;

/** The filter order of Weir's filters: just before and just after Spring Security. */
final class FilterOrders {
  private static final String SECURITY_ORDER_PROPERTY = "spring.security.filter.order";
  private static final int DEFAULT_SECURITY_ORDER = -100;
  private static final int ORDER_OFFSET = 10;

  private FilterOrders() {}

  static int beforeSecurity(Environment environment) {
    return securityOrder(environment) - ORDER_OFFSET;
  }

  static int afterSecurity(Environment environment) {
    return securityOrder(environment) + ORDER_OFFSET;
  }

  private static int securityOrder(Environment environment) {
    return environment.getProperty(SECURITY_ORDER_PROPERTY, Integer.class, DEFAULT_SECURITY_ORDER);
  }
}
