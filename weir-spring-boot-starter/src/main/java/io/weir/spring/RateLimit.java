package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the requests of a controller method or, on a class, the requests of all its methods
 * together.
 *
 * <pre>{@code
 * @GetMapping("/quote")
 * @RateLimit("10/m")
 * String quote() { … }
 * }</pre>
 *
 * <p>The annotation defines a rule: a request is admitted if all rules that match it admit it,
 * those of its method, of its class and of {@code weir.rules}. A rule in {@code weir.rules} with
 * the same {@link #id} replaces it.
 */
@Documented
@Repeatable(RateLimits.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface RateLimit {

  /** The rates, for example {@code 10/m} or {@code ${orders.limit}}; all of them apply. */
  String[] value() default {};

  /** How many requests of a counter run at the same time at most; 0 does not limit them. */
  int inFlight() default 0;

  /** After how long a request that does not end no longer counts as running, such as 30s. */
  String heldAtMost() default "";

  /**
   * The attributes to count by; {@code {}} is one counter for all requests.
   *
   * <ul>
   *   <li>{@code principal}: the user authenticated by Spring Security or the container
   *   <li>{@code ip}: the client address
   *   <li>{@code header.x-tenant}: a header field
   *   <li>{@code #{…}}: a SpEL expression over a {@link SpringRequest}, for example {@code
   *       #{variable('tenant')}}
   *   <li>the name of an attribute in {@code weir.attributes}
   * </ul>
   *
   * <p>A request without the value is counted by client address, so that omitting it does not
   * bypass the limit.
   */
  String[] per() default "principal";

  /** The rule id in metrics and responses; by default derived from class and method. */
  String id() default "";

  /** The algorithm, as in {@code weir.rules}. */
  String algorithm() default "token-bucket";

  /** The size of the bucket; by default the permits of the rate. */
  long burst() default 0;

  /** The fallback when the store fails: {@code open} or {@code closed}. */
  String onStoreFailure() default "open";

  /** Whether the limit is counted but not enforced. */
  boolean shadow() default false;
}
