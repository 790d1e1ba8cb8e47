package io.weir.spring;

import io.weir.http.BadRequestException;
import io.weir.spring.Desk.Stage;
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
final class ReactiveDoor implements WebFilter, Ordered {
  private final Desk desk;
  private final ReactiveHandlers handlers;
  private final Stage stage;
  private final int order;
  private final Predicate<Principal> anonymous;

  /**
   * @param anonymous tells principals that stand for nobody
   */
  ReactiveDoor(
      Desk desk,
      ReactiveHandlers handlers,
      Stage stage,
      int order,
      Predicate<Principal> anonymous) {
    this.desk = desk;
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
    Plan.Part part = desk.part(stage);
    if (part.isEmpty()) {
      return chain.filter(exchange);
    }
    Mono<Optional<HandlerMethod>> handler =
        part.handlers()
            ? handlers.find(exchange).map(Optional::of).defaultIfEmpty(Optional.empty())
            : Mono.just(Optional.empty());
    return principal(exchange)
        .zipWith(
            handler, (who, what) -> new ReactiveCall(exchange, who.orElse(null), what.orElse(null)))
        .flatMap(call -> decide(call, part, chain));
  }

  private Mono<Optional<Principal>> principal(ServerWebExchange exchange) {
    return stage == Stage.BEFORE_AUTHENTICATION
        ? Mono.just(Optional.empty())
        : exchange
            .getPrincipal()
            .map(who -> Optional.<Principal>of(who).filter(anonymous.negate()))
            .defaultIfEmpty(Optional.empty());
  }

  private Mono<Void> decide(ReactiveCall call, Plan.Part part, WebFilterChain chain) {
    ReactiveAnswer answer = new ReactiveAnswer(call.exchange());
    try {
      return answer.decide(
          desk.limiter(stage),
          desk.read(call, part),
          Mono.defer(() -> chain.filter(call.exchange())));
    } catch (BadRequestException e) {
      return answer.refuse(e);
    }
  }
}
