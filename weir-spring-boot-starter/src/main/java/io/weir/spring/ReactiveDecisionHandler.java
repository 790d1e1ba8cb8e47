package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.RefusalResponse;
import io.weir.internal.JsonText;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Decides on a WebFlux exchange and writes the rate limit headers or the refusal. */
record ReactiveDecisionHandler(ServerWebExchange exchange) {

  /** Continues with {@code next} if the request is admitted; otherwise writes a refusal. */
  Mono<Void> decide(Limiter limiter, Request request, Mono<Void> next) {
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
    DecisionChain existing = exchange.getAttribute(DecisionChain.ATTRIBUTE_NAME);
    if (existing != null) {
      return existing;
    }
    DecisionChain chain = new DecisionChain();
    exchange.getAttributes().put(DecisionChain.ATTRIBUTE_NAME, chain);
    return chain;
  }

  private Mono<Void> refuse(RefusalResponse refusal) {
    return write(refusal.status(), refusal.contentType(), refusal.body());
  }

  /** Rejects an ambiguous request with status 400. */
  Mono<Void> refuse(BadRequestException e) {
    String body = JsonText.error("bad_request", String.valueOf(e.getMessage()));
    return write(BadRequestException.STATUS, RefusalResponse.JSON, body);
  }

  private Mono<Void> write(int status, String type, String text) {
    byte[] body = text.getBytes(UTF_8);
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatusCode.valueOf(status));
    response.getHeaders().setContentType(MediaType.parseMediaType(type));
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
