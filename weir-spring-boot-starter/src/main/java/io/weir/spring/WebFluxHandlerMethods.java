package io.weir.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Finds the controller method that handles an exchange, with the dispatcher's mappings. */
final class WebFluxHandlerMethods implements HandlerMethods {
  private final ObjectProvider<HandlerMapping> mappings;
  private volatile @Nullable List<HandlerMapping> cachedMappings;

  WebFluxHandlerMethods(ObjectProvider<HandlerMapping> mappings) {
    this.mappings = mappings;
  }

  @Override
  public Collection<HandlerMethod> all() {
    List<HandlerMethod> methods = new ArrayList<>();
    for (HandlerMapping mapping : controllerMappings()) {
      if (mapping instanceof RequestMappingInfoHandlerMapping controllers) {
        methods.addAll(controllers.getHandlerMethods().values());
      }
    }
    return methods;
  }

  Mono<HandlerMethod> find(ServerWebExchange exchange) {
    List<HandlerMapping> all = controllerMappings();
    Mono<Object> handler =
        all.size() == 1
            ? all.get(0).getHandler(exchange)
            : Flux.fromIterable(all).concatMap(mapping -> mapping.getHandler(exchange)).next();
    return handler.ofType(HandlerMethod.class).onErrorResume(e -> Mono.empty());
  }

  private List<HandlerMapping> controllerMappings() {
    List<HandlerMapping> current = cachedMappings;
    if (current == null) {
      current =
          HandlerMethods.upToControllers(
              mappings.orderedStream().toList(), RequestMappingInfoHandlerMapping.class);
      cachedMappings = current;
    }
    return current;
  }
}
