package io.weir.server.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.http.Call;
import io.weir.http.RateLimitHeaders;
import io.weir.http.Refusal;
import io.weir.server.web.Received;
import io.weir.server.web.Reply;

/** What the gateway answers by itself, before a request has reached an upstream. */
final class Answers {
  private static final int NOT_FOUND = 404;

  private Answers() {}

  static void refuse(Visit visit, Decision decision) {
    HttpServerResponse response = visit.http().response();
    String accept = new Received(visit.http().headers()).joined("Accept");
    Refusal refusal = Refusal.of(decision, accept);
    begin(visit.upload(), response, decision);
    var unused =
        response
            .setStatusCode(refusal.status())
            .putHeader(HttpHeaders.CONTENT_TYPE, refusal.contentType())
            .end(refusal.body());
    visit.upload().discard();
  }

  static void unauthorized(Visit visit, Decision decision, String challenge) {
    begin(visit.upload(), visit.http().response(), decision);
    visit.http().response().putHeader("WWW-Authenticate", challenge);
    Reply.error(visit.http(), Call.UNAUTHORIZED, "unauthorized", "show an API key or a token");
    visit.upload().discard();
  }

  static void noRoute(Visit visit, Decision decision) {
    begin(visit.upload(), visit.http().response(), decision);
    Reply.error(visit.http(), NOT_FOUND, "no_route", "no upstream serves this host and path");
    visit.upload().discard();
  }

  static void fail(Visit visit, Decision decision, Failure failure) {
    HttpServerResponse response = visit.http().response();
    begin(visit.upload(), response, decision);
    if (failure == Failure.BUSY) {
      response.putHeader(RateLimitHeaders.RETRY_AFTER, "1");
    }
    Reply.error(visit.http(), failure.status, failure.error, failure.message);
    visit.upload().discard();
  }

  private static void begin(Upload upload, HttpServerResponse response, Decision decision) {
    upload.announce();
    RateLimitHeaders.write(decision, response::putHeader);
  }
}
