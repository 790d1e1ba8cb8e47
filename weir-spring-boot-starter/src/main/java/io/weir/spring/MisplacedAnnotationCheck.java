package io.weir.spring;

import io.weir.rules.text.ConfigurationProblem;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds {@link RateLimit}s that would limit nothing, for no request is handled there. */
final class MisplacedAnnotationCheck {
  private final Set<Class<?>> controllers = new HashSet<>();
  private final Set<Method> methods = new HashSet<>();

  MisplacedAnnotationCheck(HandlerNames handlers) {
    for (HandlerNames.ControllerMethod place : handlers.all().keySet()) {
      controllers.add(place.controller());
      methods.add(place.method());
    }
  }

  /**
   * @throws StartFailureException naming all of them
   */
  void check(ConfigurableListableBeanFactory beans) {
    List<ConfigurationProblem> problems = new ArrayList<>();
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
      if (type != null && AnnotationUtils.isCandidateClass(type, RateLimit.class)) {
        checkBeanType(type, problems);
      }
    }
    if (!problems.isEmpty()) {
      throw StartFailureException.ofProblems(problems);
    }
  }

  private void checkBeanType(Class<?> type, List<ConfigurationProblem> problems) {
    if (!controllers.contains(type) && !RateLimitAnnotations.findOn(type).isEmpty()) {
      problems.add(misplaced(type.getName(), "the class"));
    }
    MethodIntrospector.MetadataLookup<@Nullable Set<RateLimit>> lookup =
        method -> {
          Set<RateLimit> limits = RateLimitAnnotations.findOn(method);
          return limits.isEmpty() ? null : limits;
        };
    Map<Method, @Nullable Set<RateLimit>> limited = MethodIntrospector.selectMethods(type, lookup);
    for (Method method : limited.keySet()) {
      if (!methods.contains(method)) {
        problems.add(misplaced(type.getName() + "." + method.getName(), "the method"));
      }
    }
  }

  private static ConfigurationProblem misplaced(String place, String what) {
    return new ConfigurationProblem(
        "@RateLimit on " + place,
        0,
        0,
        "",
        "",
        what
            + " handles no request, so nothing would be limited; put it on a controller's"
            + " @RequestMapping method, or ask an injected io.weir.Limiter here");
  }
}
