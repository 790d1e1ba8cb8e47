package io.weir.spring;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/**
 * The names of controller methods in rules: class and method name, with the parameter types if the
 * method is overloaded.
 */
final class HandlerNames {

  /** The values of the attributes {@code controller} and {@code handler} for one method. */
  record HandlerAttributes(String controller, String handler) {}

  /** A method of one controller; several controllers may inherit the same method. */
  record ControllerMethod(Class<?> controller, Method method) {
    static ControllerMethod of(HandlerMethod handler) {
      return new ControllerMethod(handler.getBeanType(), handler.getMethod());
    }

    String qualifiedName() {
      return controller.getName() + "." + method.getName();
    }
  }

  private final Map<ControllerMethod, HandlerAttributes> names = new HashMap<>();

  HandlerNames(Collection<HandlerMethod> handlers) {
    Set<ControllerMethod> methods = new LinkedHashSet<>();
    handlers.forEach(handler -> methods.add(ControllerMethod.of(handler)));
    Map<String, Long> counts =
        methods.stream().collect(groupingBy(ControllerMethod::qualifiedName, counting()));
    for (ControllerMethod method : methods) {
      boolean overloaded = counts.getOrDefault(method.qualifiedName(), 0L) > 1;
      String handler = method.qualifiedName() + (overloaded ? parameterList(method.method()) : "");
      names.put(method, new HandlerAttributes(method.controller().getName(), handler));
    }
  }

  Map<ControllerMethod, HandlerAttributes> all() {
    return names;
  }

  @Nullable HandlerAttributes find(HandlerMethod handler) {
    return names.get(ControllerMethod.of(handler));
  }

  private static String parameterList(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(joining(",", "(", ")"));
  }
}
