/** Spring Boot integration of Weir: {@link io.weir.spring.RateLimit}, filters and configuration. */
package io.weir.spring;
