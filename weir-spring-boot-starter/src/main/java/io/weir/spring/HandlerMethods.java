package io.weir.spring;

import java.util.Collection;
import java.util.List;
import org.springframework.web.method.HandlerMethod;

/** The controller methods that Spring MVC or WebFlux dispatches requests to. */
interface HandlerMethods {

  Collection<HandlerMethod> all();

  /** Returns the mappings, in dispatcher order, up to the last that maps controllers. */
  static <M> List<M> upToControllers(List<M> all, Class<? extends M> controllers) {
    int last = 0;
    for (int i = 0; i < all.size(); i++) {
      last = controllers.isInstance(all.get(i)) ? i + 1 : last;
    }
    return List.copyOf(all.subList(0, last));
  }
}
