/** Weir in a Spring Boot application: {@link io.weir.spring.RateLimit}, and what makes it work. */
package io.weir.spring;
