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

/** Finds {@link RateLimit}s on beans that handle no requests, where they would have no effect. */
final class MisplacedAnnotationCheck {
  private final Set<Class<?>> controllers = new HashSet<>();
  private final Set<Method> methods = new HashSet<>();

  MisplacedAnnotationCheck(HandlerNames handlers) {
    for (HandlerNames.ControllerMethod handler : handlers.all().keySet()) {
      controllers.add(handler.controller());
      methods.add(handler.method());
    }
  }

  /**
   * @throws StartFailureException with all misplaced annotations
   */
  void check(ConfigurableListableBeanFactory beans) {
    List<ConfigurationProblem> problems = new ArrayList<>();
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
      if (type != null && AnnotationUtils.isCandidateClass(type, RateLimit.class)) {
        checkBeanType(type, problems);
      }
    }
    StartFailureException.throwIfAny(problems);
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

  private static ConfigurationProblem misplaced(String element, String kind) {
    return new ConfigurationProblem(
        "@RateLimit on " + element,
        0,
        0,
        "",
        "",
        kind
            + " handles no request, so the limit has no effect; move it to a @RequestMapping"
            + " method of a controller, or call an injected io.weir.Limiter here");
  }
}
