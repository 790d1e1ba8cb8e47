package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.RefusalResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Decides on a WebFlux exchange and writes the rate limit headers or the refusal. */
record ReactiveDecisionHandler(ServerWebExchange exchange) {

  /**
   * Continues with {@code next} if the request is admitted; otherwise writes a refusal.
   *
   * @param reader reads the request; a {@link BadRequestException} is answered with 400
   */
  Mono<Void> decide(Limiter limiter, Supplier<Request> reader, Mono<Void> next) {
    Request request;
    try {
      request = reader.get();
    } catch (BadRequestException e) {
      return refuse(RefusalResponse.of(e));
    }
    CompletableFuture<Decision> future = limiter.decide(request);
    // the application must not run on the store's threads
    Mono<Decision> decided =
        future.isDone()
            ? Mono.just(future.join())
            : Mono.fromFuture(future, true).publishOn(Schedulers.parallel());
    return decided.flatMap(
        decision -> {
          HttpHeaders headers = exchange.getResponse().getHeaders();
          decisionChain().add(limiter, decision, headers::set);
          if (!decision.allowed()) {
            return refuse(RateLimitService.refusal(decision));
          }
          return decision.delay().isZero() ? next : Mono.delay(decision.delay()).then(next);
        });
  }

  private DecisionChain decisionChain() {
    Map<String, Object> attributes = exchange.getAttributes();
    return (DecisionChain)
        attributes.computeIfAbsent(DecisionChain.ATTRIBUTE_NAME, name -> new DecisionChain());
  }

  private Mono<Void> refuse(RefusalResponse refusal) {
    byte[] body = refusal.body().getBytes(UTF_8);
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatusCode.valueOf(refusal.status()));
    response.getHeaders().setContentType(MediaType.parseMediaType(refusal.contentType()));
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
