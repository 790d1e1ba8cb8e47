package io.weir.spring;

import org.springframework.core.env.Environment;

/** Where the doors stand among the filters: right before Spring Security, and right after it. */
final class Orders {
  private static final String SECURITY = "spring.security.filter.order";
  private static final int USUAL = -100;
  private static final int APART = 10;

  private Orders() {}

  static int before(Environment environment) {
    return security(environment) - APART;
  }

  static int after(Environment environment) {
    return security(environment) + APART;
  }

  private static int security(Environment environment) {
    return environment.getProperty(SECURITY, Integer.class, USUAL);
  }
}
