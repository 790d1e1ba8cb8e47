package io.weir.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.gateway.grpc.GrpcStatusCode;
import io.weir.http.IdentifiedRequest;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.web.ResponseWriter;
import io.weir.web.VertxHeaders;

/** Writes the responses that the gateway itself gives, without a response of an upstream. */
final class GatewayResponses {
  private static final int NOT_FOUND = 404;

  private GatewayResponses() {}

  static void refuse(ProxiedRequest proxied, Decision decision) {
    HttpServerResponse response = proxied.http().response();
    String accept = new VertxHeaders(proxied.http().headers()).joined("Accept");
    RefusalResponse refusal = RefusalResponse.of(decision, accept);
    prepare(proxied.requestBody(), response, decision);
    if (proxied.requestBody().isGrpc()) {
      GrpcResponses.refuse(response, decision, refusal.status());
    } else {
      var unused =
          response
              .setStatusCode(refusal.status())
              .putHeader(HttpHeaders.CONTENT_TYPE, refusal.contentType())
              .end(refusal.body());
    }
    proxied.requestBody().discard();
  }

  static void unauthorized(ProxiedRequest proxied, Decision decision, String challenge) {
    prepare(proxied.requestBody(), proxied.http().response(), decision);
    proxied.http().response().putHeader("WWW-Authenticate", challenge);
    writeError(
        proxied, IdentifiedRequest.UNAUTHORIZED, "unauthorized", "send an API key or a token");
  }

  static void noRoute(ProxiedRequest proxied, Decision decision) {
    prepare(proxied.requestBody(), proxied.http().response(), decision);
    writeError(proxied, NOT_FOUND, "no_route", "no upstream serves this host and path");
  }

  static void fail(ProxiedRequest proxied, Decision decision, ForwardingFailure failure) {
    proxied.recordFailure(failure);
    HttpServerResponse response = proxied.http().response();
    prepare(proxied.requestBody(), response, decision);
    if (failure == ForwardingFailure.BUSY) {
      response.putHeader(RateLimitHeaders.RETRY_AFTER, "1");
    }
    writeError(proxied, failure.status, failure.error, failure.message);
  }

  private static void writeError(ProxiedRequest proxied, int status, String error, String message) {
    if (proxied.requestBody().isGrpc()) {
      GrpcResponses.end(proxied.http().response(), GrpcStatusCode.ofHttpStatus(status), message);
    } else {
      ResponseWriter.writeError(proxied.http(), status, error, message);
    }
    proxied.requestBody().discard();
  }

  private static void prepare(
      RequestBodyForwarder requestBody, HttpServerResponse response, Decision decision) {
    requestBody.prepareEarlyResponse();
    RateLimitHeaders.write(decision, response::putHeader);
  }
}
