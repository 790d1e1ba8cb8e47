package io.weir.spring;

import io.weir.spring.RateLimitService.FilterStage;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** The rate limit filter of WebFlux, before or after authentication. It never blocks. */
final class RateLimitWebFilter implements WebFilter, Ordered {
  private final RateLimitService service;
  private final WebFluxHandlerMethods handlers;
  private final FilterStage stage;
  private final int order;
  private final Predicate<Principal> anonymous;

  /**
   * @param anonymous tests whether a principal is anonymous
   */
  RateLimitWebFilter(
      RateLimitService service,
      WebFluxHandlerMethods handlers,
      FilterStage stage,
      int order,
      Predicate<Principal> anonymous) {
    this.service = service;
    this.handlers = handlers;
    this.stage = stage;
    this.order = order;
    this.anonymous = anonymous;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    StagedRuleSet.StageRules rules = service.stageRules(stage);
    if (rules.isEmpty()) {
      return chain.filter(exchange);
    }
    Mono<Optional<HandlerMethod>> handler =
        rules.needsHandler()
            ? handlers.find(exchange).singleOptional()
            : Mono.just(Optional.empty());
    return principal(exchange)
        .zipWith(
            handler,
            (user, method) -> new WebFluxRequest(exchange, user.orElse(null), method.orElse(null)))
        .flatMap(
            request ->
                new ReactiveDecisionHandler(service, exchange)
                    .decide(
                        service.limiter(stage),
                        () -> service.read(request, rules),
                        Mono.defer(() -> chain.filter(exchange))));
  }

  private Mono<Optional<Principal>> principal(ServerWebExchange exchange) {
    return stage == FilterStage.BEFORE_AUTHENTICATION
        ? Mono.just(Optional.empty())
        : exchange.<Principal>getPrincipal().filter(anonymous.negate()).singleOptional();
  }
}
