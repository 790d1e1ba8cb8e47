package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.http.BadRequestException;
import io.weir.http.Call;
import io.weir.http.Identity;
import io.weir.http.RateLimitHeaders;
import io.weir.server.web.Desk;
import io.weir.server.web.Received;
import io.weir.server.web.Reply;
import io.weir.store.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Decides on a request that a proxy is holding and describes in headers, as nginx's {@code
 * auth_request} does.
 *
 * <p>The method and target are in {@code X-Original-Method} and {@code X-Original-URI}, or {@code
 * X-Forwarded-Method} and {@code X-Forwarded-Uri}. Such proxies understand 2xx, 401 and 403 only,
 * so a refusal is 403, which they turn into 429.
 */
final class AuthCall {
  private static final int OK = 200;
  private static final int REFUSED = 403;

  /** Of a refusal only: tells it from what could not be read, which is 403 too. */
  private static final String RULE = "X-Weir-Rule";

  private final Desk desk;
  private final Identity identity;

  AuthCall(Desk desk, Identity identity) {
    this.desk = desk;
    this.identity = identity;
  }

  void handle(HttpServerRequest http) {
    String method = either(http, "X-Original-Method", "X-Forwarded-Method");
    String target = either(http, "X-Original-URI", "X-Forwarded-Uri");
    if (target == null) {
      Reply.error(
          http,
          400,
          "bad_request",
          "the original request is not said; send X-Original-Method and X-Original-URI");
      return;
    }
    try {
      Call call =
          identity.read(
              Received.peer(http), method == null ? "GET" : method, target, Received.of(http));
      desk.ask(http, call.request(), Mode.TAKE, decision -> answer(http, call, decision));
    } catch (BadRequestException e) {
      Reply.error(http, REFUSED, "bad_request", String.valueOf(e.getMessage()));
    }
  }

  private void answer(HttpServerRequest http, Call call, Decision decision) {
    HttpServerResponse response = http.response();
    if (response.ended() || response.closed()) {
      return;
    }
    RateLimitHeaders.write(decision, response::putHeader);
    if (!decision.allowed()) {
      String error = decision.never() ? "cost_exceeds_limit" : "rate_limited";
      String rule = decision.rule().orElse("");
      response.putHeader(RULE, rule);
      Reply.error(http, REFUSED, error, "refused by " + rule);
    } else if (call.unauthorized()) {
      response.putHeader("WWW-Authenticate", identity.challenge());
      Reply.error(http, Call.UNAUTHORIZED, "unauthorized", "show an API key or a token");
    } else {
      if (!decision.delay().isZero()) {
        response.putHeader("X-Weir-Delay-Ms", Long.toString(decision.delay().toMillis()));
      }
      response.setStatusCode(OK).end();
    }
  }

  private static @Nullable String either(HttpServerRequest http, String one, String other) {
    String first = http.getHeader(one);
    return first == null ? http.getHeader(other) : first;
  }
}
