package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the requests a controller's method handles, or those of all methods of a controller
 * together.
 *
 * <pre>{@code
 * @GetMapping("/quote")
 * @RateLimit("10/m")
 * String quote() { … }
 * }</pre>
 *
 * <p>It is a rule like any other: all rules that meet a request must have room for it, those of its
 * method, of its class and of {@code weir.rules}. One of {@code weir.rules} with the same {@link
 * #id} takes its place.
 */
@Documented
@Repeatable(RateLimits.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface RateLimit {

  /** How many per how long, such as {@code 10/m} or {@code ${orders.limit}}; several all hold. */
  String[] value();

  /**
   * Per what is counted; {@code {}} is one counter for all.
   *
   * <ul>
   *   <li>{@code principal}: whom Spring Security or the container has authenticated
   *   <li>{@code ip}: the caller's address
   *   <li>{@code header.x-tenant}: a header field
   *   <li>{@code #{…}}: an expression over a {@link SpringRequest}, such as {@code
   *       #{variable('tenant')}}
   *   <li>the name of one of {@code weir.attributes}
   * </ul>
   *
   * <p>Who has no such value is counted by address, so that leaving it out is no way around.
   */
  String[] per() default "principal";

  /** What the rule is called in metrics and answers; by class and method if not said. */
  String id() default "";

  /** How it counts, as in {@code weir.rules}. */
  String algorithm() default "token-bucket";

  /** The bucket's size; the limit itself if not said. */
  long burst() default 0;

  /** What is answered when the store does not: {@code open} or {@code closed}. */
  String onStoreFailure() default "open";

  /** Whether it is judged but not enforced. */
  boolean shadow() default false;
}
