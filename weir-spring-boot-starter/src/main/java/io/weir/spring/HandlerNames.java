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
  record Name(String controller, String handler) {}

  /** A method as one controller has it; controllers may share one they inherit. */
  record Place(Class<?> controller, Method method) {
    static Place of(HandlerMethod handler) {
      return new Place(handler.getBeanType(), handler.getMethod());
    }

    String plain() {
      return controller.getName() + "." + method.getName();
    }
  }

  private final Map<Place, Name> names = new HashMap<>();

  HandlerNames(Collection<HandlerMethod> handlers) {
    Set<Place> places = new LinkedHashSet<>();
    handlers.forEach(handler -> places.add(Place.of(handler)));
    Map<String, Long> counts = places.stream().collect(groupingBy(Place::plain, counting()));
    for (Place place : places) {
      boolean shared = counts.getOrDefault(place.plain(), 0L) > 1;
      String handler = place.plain() + (shared ? parameters(place.method()) : "");
      names.put(place, new Name(place.controller().getName(), handler));
    }
  }

  Map<Place, Name> all() {
    return names;
  }

  @Nullable Name of(HandlerMethod handler) {
    return names.get(Place.of(handler));
  }

  private static String parameters(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(joining(",", "(", ")"));
  }
}
