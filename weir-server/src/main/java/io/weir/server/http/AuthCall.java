package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.TooManyLimitsException;
import io.weir.http.BadRequestException;
import io.weir.http.Call;
import io.weir.http.Identity;
import io.weir.http.RateLimitHeaders;
import io.weir.server.web.BadInput;
import io.weir.server.web.Desk;
import io.weir.server.web.Received;
import io.weir.server.web.Reply;
import io.weir.server.web.ThrottledWarning;
import io.weir.store.Clock;
import io.weir.store.Mode;
import java.lang.System.Logger;

/**
 * Decides on a request that a proxy is holding and describes in headers, as nginx's {@code
 * auth_request} does.
 *
 * <p>The method and target are where the {@link AuthForm} says. Such proxies understand 2xx, 401
 * and 403 only, so a refusal is 403, which they turn into 429.
 */
final class AuthCall {
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int REFUSED = 403;

  /** Of a refusal only: tells it from what could not be read, which is 403 too. */
  private static final String RULE = "X-Weir-Rule";

  private static final Logger LOG = System.getLogger(AuthCall.class.getName());

  private final Desk desk;
  private final Identity identity;
  private final AuthForm form;
  private final ThrottledWarning rejected = new ThrottledWarning(LOG, Clock.system());

  AuthCall(Desk desk, Identity identity, AuthForm form) {
    this.desk = desk;
    this.identity = identity;
    this.form = form;
  }

  void handle(HttpServerRequest http) {
    AuthForm.OriginalRequest original;
    try {
      original = form.read(http.headers());
    } catch (BadInput e) {
      rejected.log("GET /v1/auth answers 400: " + e.reason());
      Reply.error(http, BAD_REQUEST, "bad_request", e.reason());
      return;
    }
    try {
      Call call =
          identity.read(
              Received.peer(http), original.method(), original.target(), Received.of(http));
      desk.ask(http, call.request(), Mode.TAKE, decision -> answer(http, call, decision));
    } catch (BadRequestException | TooManyLimitsException e) {
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
}
