package io.weir.spring;

import java.lang.reflect.AnnotatedElement;
import java.util.Set;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds {@link RateLimit}s, also on superclasses, on interfaces and as meta-annotations. */
final class RateLimitAnnotations {

  private RateLimitAnnotations() {}

  static Set<RateLimit> findOn(AnnotatedElement element) {
    return AnnotatedElementUtils.findMergedRepeatableAnnotations(
        element, RateLimit.class, RateLimits.class);
  }
}
