package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.Json;
import io.weir.http.Refusal;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Decides on an exchange, and tells its caller. */
record ReactiveAnswer(ServerWebExchange exchange) {

  /** Goes on with {@code next} if there is room, or else answers with a refusal. */
  Mono<Void> decide(Limiter limiter, Request request, Mono<Void> next) {
    CompletableFuture<Decision> answer = limiter.decide(request);
    // the store's threads must not be given the application's work
    Mono<Decision> decided =
        answer.isDone()
            ? Mono.just(answer.join())
            : Mono.fromFuture(answer, true).publishOn(Schedulers.parallel());
    return decided.flatMap(
        decision -> {
          HttpHeaders headers = exchange.getResponse().getHeaders();
          trail().add(limiter, decision, headers::set);
          if (!decision.allowed()) {
            return refuse(Desk.refusal(decision));
          }
          return decision.delay().isZero() ? next : Mono.delay(decision.delay()).then(next);
        });
  }

  private Trail trail() {
    Trail begun = exchange.getAttribute(Trail.NAME);
    if (begun != null) {
      return begun;
    }
    Trail trail = new Trail();
    exchange.getAttributes().put(Trail.NAME, trail);
    return trail;
  }

  private Mono<Void> refuse(Refusal refusal) {
    return write(refusal.status(), refusal.contentType(), refusal.body());
  }

  /** Answers what could not be read in one way only. */
  Mono<Void> refuse(BadRequestException e) {
    String body = Json.error("bad_request", String.valueOf(e.getMessage()));
    return write(BadRequestException.STATUS, Refusal.JSON, body);
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
