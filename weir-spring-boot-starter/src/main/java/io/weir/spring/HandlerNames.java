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
 * What rules call the methods of controllers: class and name, and the types of the parameters where
 * several methods share them.
 */
final class HandlerNames {

  /** The attributes of one method. */
  record HandlerAttributes(String controller, String handler) {}

  /** A method as one controller has it; controllers may share one they inherit. */
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
    Set<ControllerMethod> places = new LinkedHashSet<>();
    handlers.forEach(handler -> places.add(ControllerMethod.of(handler)));
    Map<String, Long> counts =
        places.stream().collect(groupingBy(ControllerMethod::qualifiedName, counting()));
    for (ControllerMethod place : places) {
      boolean shared = counts.getOrDefault(place.qualifiedName(), 0L) > 1;
      String handler = place.qualifiedName() + (shared ? parameterList(place.method()) : "");
      names.put(place, new HandlerAttributes(place.controller().getName(), handler));
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
