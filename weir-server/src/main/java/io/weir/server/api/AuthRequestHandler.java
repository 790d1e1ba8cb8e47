package io.weir.server.api;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.RefusalReason;
import io.weir.TooManyLimitsException;
import io.weir.http.BadRequestException;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.http.RateLimitHeaders;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import io.weir.web.DecisionHandler;
import io.weir.web.InvalidInputException;
import io.weir.web.ResponseWriter;
import io.weir.web.ThrottledWarning;
import io.weir.web.VertxHeaders;
import java.lang.System.Logger;

/**
 * Handles {@code GET /v1/auth}: decides on a request that a proxy holds back and describes in
 * headers, such as nginx's {@code auth_request}.
 *
 * <p>The {@link AuthHeaderFormat} defines which headers contain the method and the target. Such
 * proxies accept only 2xx, 401 and 403, so a refusal is 403, which they turn into 429, or into
 * another status that suits the code in {@code X-Weir-Error}.
 */
final class AuthRequestHandler {
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;

  /** Sent with refusals only, to distinguish them from malformed requests, which are 403 too. */
  private static final String RULE_HEADER = "X-Weir-Rule";

  /** The code of the refusal, by which proxies choose the status for the caller. */
  private static final String ERROR_HEADER = "X-Weir-Error";

  private static final Logger LOG = System.getLogger(AuthRequestHandler.class.getName());

  private final DecisionHandler decisionHandler;
  private final IdentityResolver identity;
  private final AuthHeaderFormat headerFormat;
  private final ThrottledWarning rejectedWarning = new ThrottledWarning(LOG, Clock.system());

  AuthRequestHandler(
      DecisionHandler decisionHandler, IdentityResolver identity, AuthHeaderFormat headerFormat) {
    this.decisionHandler = decisionHandler;
    this.identity = identity;
    this.headerFormat = headerFormat;
  }

  void handle(HttpServerRequest http) {
    AuthHeaderFormat.OriginalRequest original;
    try {
      original = headerFormat.read(http.headers());
    } catch (InvalidInputException e) {
      rejectedWarning.log("GET /v1/auth answers 400: " + e.reason());
      ResponseWriter.writeError(http, BAD_REQUEST, "bad_request", e.reason());
      return;
    }
    try {
      IdentifiedRequest call =
          identity.resolve(
              VertxHeaders.peerAddress(http),
              original.method(),
              original.target(),
              VertxHeaders.of(http));
      decisionHandler.decide(
          http, call.request(), StoreOperation.TAKE, decision -> respond(http, call, decision));
    } catch (BadRequestException | TooManyLimitsException e) {
      ResponseWriter.writeError(http, FORBIDDEN, "bad_request", String.valueOf(e.getMessage()));
    }
  }

  private void respond(HttpServerRequest http, IdentifiedRequest call, Decision decision) {
    HttpServerResponse response = http.response();
    if (response.ended() || response.closed()) {
      return;
    }
    RateLimitHeaders.write(decision, response::putHeader);
    RefusalReason reason = decision.refusalReason().orElse(null);
    if (reason != null) {
      String rule = decision.rule().orElse("");
      response.putHeader(RULE_HEADER, rule);
      response.putHeader(ERROR_HEADER, reason.code());
      ResponseWriter.writeError(http, FORBIDDEN, reason.code(), "refused by " + rule);
    } else if (call.unauthorized()) {
      response.putHeader("WWW-Authenticate", identity.challenge());
      ResponseWriter.writeError(
          http, IdentifiedRequest.UNAUTHORIZED, "unauthorized", "send an API key or a token");
    } else {
      if (!decision.delay().isZero()) {
        response.putHeader("X-Weir-Delay-Ms", Long.toString(decision.delay().toMillis()));
      }
      response.setStatusCode(OK).end();
    }
  }
}
