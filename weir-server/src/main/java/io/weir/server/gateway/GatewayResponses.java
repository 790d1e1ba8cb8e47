package io.weir.server.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.http.IdentifiedRequest;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.server.web.ResponseWriter;
import io.weir.server.web.VertxHeaders;

/** What the gateway answers by itself, before a request has reached an upstream. */
final class GatewayResponses {
  private static final int NOT_FOUND = 404;

  private GatewayResponses() {}

  static void refuse(ProxiedRequest visit, Decision decision) {
    HttpServerResponse response = visit.http().response();
    String accept = new VertxHeaders(visit.http().headers()).joined("Accept");
    RefusalResponse refusal = RefusalResponse.of(decision, accept);
    prepare(visit.requestBody(), response, decision);
    var unused =
        response
            .setStatusCode(refusal.status())
            .putHeader(HttpHeaders.CONTENT_TYPE, refusal.contentType())
            .end(refusal.body());
    visit.requestBody().discard();
  }

  static void unauthorized(ProxiedRequest visit, Decision decision, String challenge) {
    prepare(visit.requestBody(), visit.http().response(), decision);
    visit.http().response().putHeader("WWW-Authenticate", challenge);
    ResponseWriter.writeError(
        visit.http(), IdentifiedRequest.UNAUTHORIZED, "unauthorized", "show an API key or a token");
    visit.requestBody().discard();
  }

  static void noRoute(ProxiedRequest visit, Decision decision) {
    prepare(visit.requestBody(), visit.http().response(), decision);
    ResponseWriter.writeError(
        visit.http(), NOT_FOUND, "no_route", "no upstream serves this host and path");
    visit.requestBody().discard();
  }

  static void fail(ProxiedRequest visit, Decision decision, ForwardingFailure failure) {
    HttpServerResponse response = visit.http().response();
    prepare(visit.requestBody(), response, decision);
    if (failure == ForwardingFailure.BUSY) {
      response.putHeader(RateLimitHeaders.RETRY_AFTER, "1");
    }
    ResponseWriter.writeError(visit.http(), failure.status, failure.error, failure.message);
    visit.requestBody().discard();
  }

  private static void prepare(
      RequestBodyForwarder upload, HttpServerResponse response, Decision decision) {
    upload.prepareEarlyResponse();
    RateLimitHeaders.write(decision, response::putHeader);
  }
}
