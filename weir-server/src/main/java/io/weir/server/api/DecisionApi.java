package io.weir.server.api;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.TooManyLimitsException;
import io.weir.http.DecisionJson;
import io.weir.http.IdentityResolver;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.internal.JsonText;
import io.weir.store.StoreOperation;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.BodyField;
import io.weir.web.ApiRouter;
import io.weir.web.BoundedBodyReader;
import io.weir.web.DecisionHandler;
import io.weir.web.InvalidInputException;
import io.weir.web.OpenApi;
import io.weir.web.ResponseWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The operations of the decision API; none of them blocks its event loop. */
public final class DecisionApi {
  private static final int OK = 200;
  private static final List<BodyField> CHECK_FIELDS =
      List.of(
          new BodyField(
              "attributes",
              true,
              "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}"),
          new BodyField("cost", false, "{\"type\":\"integer\",\"minimum\":1,\"default\":1}"));
  private static final BodyField TTL_FIELD =
      new BodyField(
          "ttl_ms",
          false,
          "{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400000,\"default\":60000}");
  private static final BodyField CHECKS_FIELD =
      new BodyField(
          "checks",
          true,
          "{\"type\":\"array\",\"maxItems\":1000,\"items\":"
              + OpenApi.objectSchema(CHECK_FIELDS)
              + "}");
  private static final BodyField ACTUAL_COST_FIELD =
      new BodyField("cost", true, "{\"type\":\"integer\",\"minimum\":0}");

  private final DecisionHandler decisionHandler;
  private final OpenReservations reservations;
  private final OpenPermits permits;
  private final List<ApiRoute> routes;

  /**
   * @param headerFormat the headers in which proxies describe the original request to {@code
   *     /v1/auth}
   */
  public DecisionApi(
      DecisionHandler decisionHandler,
      IdentityResolver identity,
      OpenReservations reservations,
      OpenPermits permits,
      AuthHeaderFormat headerFormat) {
    this.decisionHandler = decisionHandler;
    this.reservations = reservations;
    this.permits = permits;
    AuthRequestHandler auth = new AuthRequestHandler(decisionHandler, identity, headerFormat);
    routes =
        List.of(
            new ApiRoute(
                POST,
                "/v1/check",
                "Decides a request and charges it if admitted",
                CHECK_FIELDS,
                List.of(
                    OK,
                    RefusalResponse.FORBIDDEN,
                    RefusalResponse.STATUS,
                    RefusalResponse.UNAVAILABLE),
                (request, id) -> decide(request, StoreOperation.TAKE)),
            new ApiRoute(
                POST,
                "/v1/peek",
                "Returns the decision of check without charging",
                CHECK_FIELDS,
                List.of(OK),
                (request, id) -> decide(request, StoreOperation.PEEK)),
            new ApiRoute(
                POST,
                "/v1/check-batch",
                "Decides several requests, each on its own",
                List.of(CHECKS_FIELD),
                List.of(OK),
                (request, id) -> decideBatch(request)),
            new ApiRoute(
                POST,
                "/v1/reserve",
                "Decides and charges now, to be settled at the actual cost later",
                List.of(CHECK_FIELDS.get(0), CHECK_FIELDS.get(1), TTL_FIELD),
                List.of(
                    OK,
                    RefusalResponse.FORBIDDEN,
                    RefusalResponse.STATUS,
                    RefusalResponse.UNAVAILABLE),
                (request, id) -> reserve(request)),
            new ApiRoute(
                POST,
                "/v1/reservations/{id}/commit",
                "Settles a reservation at its actual cost",
                List.of(ACTUAL_COST_FIELD),
                List.of(OK, 404),
                this::commit),
            new ApiRoute(
                DELETE,
                "/v1/reservations/{id}",
                "Cancels a reservation and refunds it",
                List.of(),
                List.of(OK, 404),
                this::cancel),
            new ApiRoute(
                POST,
                "/v1/acquire",
                "Decides, charges, and takes a slot of each in-flight limit until it is released",
                CHECK_FIELDS,
                List.of(OK, RefusalResponse.STATUS),
                (request, id) -> acquire(request)),
            new ApiRoute(
                POST,
                "/v1/release/{id}",
                "Gives the slots of an acquired request back",
                List.of(),
                List.of(OK, 404),
                this::release),
            new ApiRoute(
                GET,
                "/v1/auth",
                "Decides on the request a proxy describes in X-Original-Method and X-Original-URI, or"
                    + " X-Forwarded-Method and X-Forwarded-Uri",
                List.of(),
                List.of(OK, 401, 403),
                (request, id) -> auth.handle(request)),
            new ApiRoute(
                GET,
                "/v1/openapi.json",
                "This OpenAPI document",
                List.of(),
                List.of(OK),
                (request, id) -> respondWithOpenApi(request)));
  }

  /** Creates the request handler of one event loop. */
  public Handler<HttpServerRequest> handler() {
    return new ApiRouter(routes);
  }

  private void decide(HttpServerRequest http, StoreOperation mode) {
    BoundedBodyReader.read(
        http,
        body -> {
          try {
            Request request = CheckRequestParser.parseCheck(body);
            decisionHandler.decide(http, request, mode, d -> respond(http.response(), d, mode, ""));
          } catch (InvalidInputException | TooManyLimitsException e) {
            rejectRequest(http, e);
          }
        });
  }

  private void decideBatch(HttpServerRequest http) {
    BoundedBodyReader.read(
        http,
        body -> {
          try {
            List<Request> requests = CheckRequestParser.parseBatch(body);
            @SuppressWarnings({"unchecked", "rawtypes"})
            CompletableFuture<Optional<Decision>>[] pending =
                new CompletableFuture[requests.size()];
            for (int i = 0; i < pending.length; i++) {
              pending[i] = decideOne(requests.get(i));
            }
            DecisionHandler.thenOnEventLoop(
                CompletableFuture.allOf(pending),
                all -> ResponseWriter.writeJson(http.response(), OK, results(pending)));
          } catch (InvalidInputException e) {
            rejectRequest(http, e);
          }
        });
  }

  /** Decides one request of a batch; empty if it cannot be decided. */
  private CompletableFuture<Optional<Decision>> decideOne(Request request) {
    try {
      return decisionHandler.limiter().decide(request).thenApply(Optional::of);
    } catch (TooManyLimitsException e) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
  }

  private static String results(CompletableFuture<Optional<Decision>>[] decided) {
    StringBuilder out = new StringBuilder(64 + 256 * decided.length).append("{\"results\":[");
    for (int i = 0; i < decided.length; i++) {
      Optional<Decision> decision = decided[i].join();
      out.append(i == 0 ? "{" : ",{");
      if (decision.isPresent()) {
        DecisionJson.appendFields(out, decision.get());
      } else {
        out.append("\"allowed\":false,\"error\":\"too_many_limits\"");
      }
      out.append('}');
    }
    return out.append("]}").toString();
  }

  private void reserve(HttpServerRequest http) {
    BoundedBodyReader.read(
        http,
        body -> {
          try {
            CheckRequestParser.ParsedCheck check = CheckRequestParser.parseReserve(body);
            if (!reservations.hasCapacity()) {
              ResponseWriter.writeError(
                  http,
                  503,
                  "too_many_reservations",
                  "too many open reservations; settle some first");
              return;
            }
            DecisionHandler.thenOnEventLoop(
                decisionHandler
                    .limiter()
                    .reserve(check.request(), Duration.ofMillis(check.ttlMillis())),
                reservation -> respondToReservation(http, reservation, check.ttlMillis()));
          } catch (InvalidInputException | TooManyLimitsException e) {
            rejectRequest(http, e);
          }
        });
  }

  private void respondToReservation(
      HttpServerRequest http, Reservation reservation, long ttlMillis) {
    Decision decision = reservation.decision();
    if (!decision.allowed()) {
      respond(http.response(), decision, StoreOperation.TAKE, "");
      return;
    }
    if (http.response().closed()) {
      var unused = reservation.cancel(); // the caller has left without its id
      return;
    }
    String id = reservations.add(reservation, ttlMillis);
    StringBuilder more = new StringBuilder(",\"reservation\":");
    respond(http.response(), decision, StoreOperation.TAKE, JsonText.quote(more, id).toString());
  }

  private void acquire(HttpServerRequest http) {
    BoundedBodyReader.read(
        http,
        body -> {
          try {
            Request request = CheckRequestParser.parseCheck(body);
            decisionHandler.acquire(http, request, permit -> respondToAcquire(http, permit));
          } catch (InvalidInputException | TooManyLimitsException e) {
            rejectRequest(http, e);
          }
        });
  }

  private void respondToAcquire(HttpServerRequest http, Limiter.Permit permit) {
    if (http.response().ended() || http.response().closed()) {
      permit.close(); // the caller has left without its id
      return;
    }
    String more = "";
    if (permit.isHeld()) {
      more = JsonText.quote(new StringBuilder(",\"id\":"), permits.add(permit)).toString();
    } else if (permit.allowed()) {
      more = ",\"id\":null";
    }
    respond(http.response(), permit.decision(), StoreOperation.TAKE, more);
  }

  private void release(HttpServerRequest http, String id) {
    if (permits.release(id)) {
      ResponseWriter.writeJson(http.response(), OK, "{\"released\":true}");
      return;
    }
    String reason =
        permits.isFromOtherNode(id)
            ? "this node did not create it; ask the node its id begins with"
            : "it has been released, was held too long, or never existed";
    ResponseWriter.writeError(http, 404, "unknown_permit", reason);
  }

  private void commit(HttpServerRequest http, String id) {
    BoundedBodyReader.read(
        http,
        body -> {
          try {
            settle(http, id, CheckRequestParser.parseCommit(body));
          } catch (InvalidInputException e) {
            rejectRequest(http, e);
          }
        });
  }

  private void cancel(HttpServerRequest http, String id) {
    settle(http, id, 0);
  }

  private void settle(HttpServerRequest http, String id, long cost) {
    Reservation reservation = reservations.remove(id);
    if (reservation == null) {
      String reason =
          reservations.isFromOtherNode(id)
              ? "this node did not create it; ask the node its id begins with"
              : "it has been settled, has expired, or never existed";
      ResponseWriter.writeError(http, 404, "unknown_reservation", reason);
      return;
    }
    DecisionHandler.thenOnEventLoop(
        reservation.commit(cost),
        open -> {
          if (open) {
            String settled = settlementState(reservation.state());
            ResponseWriter.writeJson(
                http.response(), OK, "{\"settled\":" + settled + ",\"cost\":" + cost + "}");
          } else {
            ResponseWriter.writeError(http, 404, "unknown_reservation", "it has expired");
          }
        });
  }

  private static String settlementState(Reservation.State state) {
    return switch (state) {
      case OPEN, PENDING -> "\"pending\"";
      case UNCONFIRMED -> "\"unconfirmed\"";
      case SETTLED -> "true";
    };
  }

  private void respondWithOpenApi(HttpServerRequest http) {
    ResponseWriter.writeJson(http.response(), OK, OpenApi.document("Weir decision API", routes));
  }

  private static void respond(
      HttpServerResponse response, Decision decision, StoreOperation mode, String more) {
    if (response.ended() || response.closed()) {
      return;
    }
    RateLimitHeaders.write(decision, response::putHeader);
    StringBuilder body = new StringBuilder(320).append('{');
    DecisionJson.appendFields(body, decision).append(more).append('}');
    int status =
        mode == StoreOperation.TAKE
            ? decision.refusalReason().map(RefusalResponse::statusOf).orElse(OK)
            : OK;
    ResponseWriter.writeJson(response, status, body.toString());
  }

  private static void rejectRequest(HttpServerRequest http, Exception e) {
    ResponseWriter.writeError(http, 400, "bad_request", String.valueOf(e.getMessage()));
  }
}
