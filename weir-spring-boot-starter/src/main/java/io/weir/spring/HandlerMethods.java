package io.weir.spring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.method.HandlerMethod;

/**
 * The controller methods that Spring MVC or WebFlux dispatches requests to.
 *
 * @param <M> the type of all handler mappings
 * @param <C> the type of those that map controllers
 */
abstract class HandlerMethods<M, C extends M> {
  private final ObjectProvider<M> provider;
  private final Class<C> controllerType;
  private final Function<C, Map<?, HandlerMethod>> methods;
  private volatile @Nullable List<M> cachedMappings;

  HandlerMethods(
      ObjectProvider<M> mappings,
      Class<C> controllerType,
      Function<C, Map<?, HandlerMethod>> methods) {
    this.provider = mappings;
    this.controllerType = controllerType;
    this.methods = methods;
  }

  final Collection<HandlerMethod> all() {
    return mappings().stream()
        .filter(controllerType::isInstance)
        .flatMap(mapping -> methods.apply(controllerType.cast(mapping)).values().stream())
        .toList();
  }

  /** Returns the mappings, in dispatcher order, up to the last that maps controllers. */
  final List<M> mappings() {
    List<M> current = cachedMappings;
    if (current == null) {
      List<M> all = provider.orderedStream().toList();
      int last = 0;
      for (int i = 0; i < all.size(); i++) {
        last = controllerType.isInstance(all.get(i)) ? i + 1 : last;
      }
      current = List.copyOf(all.subList(0, last));
      cachedMappings = current;
    }
    return current;
  }
}
