package io.weir.spring;

import java.util.Collection;
import java.util.List;
import org.springframework.web.method.HandlerMethod;

/** The methods of controllers a framework will have handle requests. */
interface HandlerMethods {

  Collection<HandlerMethod> all();

  /** Of the mappings in a dispatcher's order, those to the last that knows controllers. */
  static <M> List<M> upToControllers(List<M> all, Class<? extends M> controllers) {
    int last = 0;
    for (int i = 0; i < all.size(); i++) {
      last = controllers.isInstance(all.get(i)) ? i + 1 : last;
    }
    return List.copyOf(all.subList(0, last));
  }
}
