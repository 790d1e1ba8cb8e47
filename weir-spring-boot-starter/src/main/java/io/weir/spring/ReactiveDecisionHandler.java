package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.RefusalResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/** Decides on a WebFlux exchange and writes the rate limit headers or the refusal. */
record ReactiveDecisionHandler(RateLimitService service, ServerWebExchange exchange) {
  private static final int OK = 200;
  private static final int CALLER_LEFT = 499;

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
    CompletableFuture<Limiter.Permit> future = limiter.acquireAsync(request);
    // the application must not run on the store's threads
    Mono<Limiter.Permit> acquired =
        future.isDone()
            ? Mono.just(future.join())
            : Mono.fromFuture(future, true).publishOn(Schedulers.parallel());
    DecisionChain chain = decisionChain();
    Mono<Void> result =
        acquired.flatMap(
            permit -> {
              Decision decision = permit.decision();
              HttpHeaders headers = exchange.getResponse().getHeaders();
              chain.add(limiter, decision, headers::set);
              if (!decision.allowed()) {
                return refuse(service.refusal(decision));
              }
              return decision.delay().isZero() ? next : Mono.delay(decision.delay()).then(next);
            });
    return completeAtEnd(chain, result)
        .doFinally(
            signal -> {
              var unused = future.thenAccept(Limiter.Permit::close);
            });
  }

  /**
   * Completes the decisions when the response has ended. If a handler fails, Spring writes the
   * error after this filter, so its status is known when the response is committed.
   */
  private Mono<Void> completeAtEnd(DecisionChain chain, Mono<Void> result) {
    ServerHttpResponse response = exchange.getResponse();
    AtomicBoolean ended = new AtomicBoolean();
    response.beforeCommit(
        () ->
            Mono.fromRunnable(
                () -> {
                  if (ended.get()) {
                    chain.complete(exchange, status());
                  }
                }));
    return result.doFinally(
        signal -> {
          ended.set(true);
          if (response.isCommitted()) {
            chain.complete(exchange, status());
          } else if (signal == SignalType.CANCEL) {
            chain.complete(exchange, CALLER_LEFT);
          }
        });
  }

  private int status() {
    HttpStatusCode status = exchange.getResponse().getStatusCode();
    return status == null ? OK : status.value();
  }

  private DecisionChain decisionChain() {
    Map<String, Object> attributes = exchange.getAttributes();
    return (DecisionChain)
        attributes.computeIfAbsent(
            DecisionChain.ATTRIBUTE_NAME, name -> new DecisionChain(exchange));
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
