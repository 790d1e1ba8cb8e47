package io.weir.spring;

import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Finds the controller method that handles an exchange, with the dispatcher's mappings. */
final class WebFluxHandlerMethods
    extends HandlerMethods<HandlerMapping, RequestMappingInfoHandlerMapping> {

  WebFluxHandlerMethods(ObjectProvider<HandlerMapping> mappings) {
    super(
        mappings,
        RequestMappingInfoHandlerMapping.class,
        RequestMappingInfoHandlerMapping::getHandlerMethods);
  }

  Mono<HandlerMethod> find(ServerWebExchange exchange) {
    List<HandlerMapping> all = mappings();
    Mono<Object> handler =
        all.size() == 1
            ? all.get(0).getHandler(exchange)
            : Flux.fromIterable(all).concatMap(mapping -> mapping.getHandler(exchange)).next();
    return handler.ofType(HandlerMethod.class).onErrorResume(e -> Mono.empty());
  }
}
