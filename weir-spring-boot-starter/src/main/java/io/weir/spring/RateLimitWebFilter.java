package io.weir.spring;

import io.weir.http.BadRequestException;
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

/** The filter of WebFlux applications, before authentication or after it; it never waits. */
final class RateLimitWebFilter implements WebFilter, Ordered {
  private final RateLimitService service;
  private final WebFluxHandlerMethods handlers;
  private final FilterStage stage;
  private final int order;
  private final Predicate<Principal> anonymous;

  /**
   * @param anonymous tells principals that stand for nobody
   */
  RateLimitWebFilter(
      RateLimitService desk,
      WebFluxHandlerMethods handlers,
      FilterStage stage,
      int order,
      Predicate<Principal> anonymous) {
    this.service = desk;
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
    StagedRuleSet.StageRules part = service.stageRules(stage);
    if (part.isEmpty()) {
      return chain.filter(exchange);
    }
    Mono<Optional<HandlerMethod>> handler =
        part.needsHandler()
            ? handlers.find(exchange).map(Optional::of).defaultIfEmpty(Optional.empty())
            : Mono.just(Optional.empty());
    return principal(exchange)
        .zipWith(
            handler,
            (who, what) -> new WebFluxRequest(exchange, who.orElse(null), what.orElse(null)))
        .flatMap(call -> decide(call, part, chain));
  }

  private Mono<Optional<Principal>> principal(ServerWebExchange exchange) {
    return stage == FilterStage.BEFORE_AUTHENTICATION
        ? Mono.just(Optional.empty())
        : exchange
            .getPrincipal()
            .map(who -> Optional.<Principal>of(who).filter(anonymous.negate()))
            .defaultIfEmpty(Optional.empty());
  }

  private Mono<Void> decide(
      WebFluxRequest call, StagedRuleSet.StageRules part, WebFilterChain chain) {
    ReactiveDecisionHandler answer = new ReactiveDecisionHandler(call.exchange());
    try {
      return answer.decide(
          service.limiter(stage),
          service.read(call, part),
          Mono.defer(() -> chain.filter(call.exchange())));
    } catch (BadRequestException e) {
      return answer.refuse(e);
    }
  }
}
