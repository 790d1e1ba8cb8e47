package io.weir.server.http;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.TooManyLimitsException;
import io.weir.http.DecisionJson;
import io.weir.http.Identity;
import io.weir.http.Json;
import io.weir.http.RateLimitHeaders;
import io.weir.http.Refusal;
import io.weir.server.web.BadInput;
import io.weir.server.web.Body;
import io.weir.server.web.Desk;
import io.weir.server.web.OpenApi;
import io.weir.server.web.Reply;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Field;
import io.weir.server.web.Router;
import io.weir.store.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls of the decision API, none of which waits on its event loop. */
public final class DecisionApi {
  private static final int OK = 200;
  private static final List<Field> CHECK =
      List.of(
          new Field(
              "attributes",
              true,
              "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}"),
          new Field("cost", false, "{\"type\":\"integer\",\"minimum\":1,\"default\":1}"));
  private static final Field TTL =
      new Field(
          "ttl_ms",
          false,
          "{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400000,\"default\":60000}");
  private static final Field CHECKS =
      new Field(
          "checks",
          true,
          "{\"type\":\"array\",\"maxItems\":1000,\"items\":" + OpenApi.object(CHECK) + "}");
  private static final Field TRUE_COST =
      new Field("cost", true, "{\"type\":\"integer\",\"minimum\":0}");

  private final Desk desk;
  private final OpenReservations reservations;
  private final List<Route> routes;

  /**
   * @param form where proxies describe the requests they ask about
   */
  public DecisionApi(Desk desk, Identity identity, OpenReservations reservations, AuthForm form) {
    this.desk = desk;
    this.reservations = reservations;
    AuthCall auth = new AuthCall(desk, identity, form);
    routes =
        List.of(
            new Route(
                POST,
                "/v1/check",
                "Decides, and charges what is admitted",
                CHECK,
                List.of(OK, Refusal.STATUS),
                (request, id) -> ask(request, Mode.TAKE)),
            new Route(
                POST,
                "/v1/peek",
                "Says what check would say, and charges nothing",
                CHECK,
                List.of(OK),
                (request, id) -> ask(request, Mode.PEEK)),
            new Route(
                POST,
                "/v1/check-batch",
                "Decides many, each by itself",
                List.of(CHECKS),
                List.of(OK),
                (request, id) -> batch(request)),
            new Route(
                POST,
                "/v1/reserve",
                "Decides and charges now, to be settled at the true cost later",
                List.of(CHECK.get(0), CHECK.get(1), TTL),
                List.of(OK, Refusal.STATUS, 503),
                (request, id) -> reserve(request)),
            new Route(
                POST,
                "/v1/reservations/{id}/commit",
                "Settles a reservation at its true cost",
                List.of(TRUE_COST),
                List.of(OK, 404),
                this::commit),
            new Route(
                DELETE,
                "/v1/reservations/{id}",
                "Gives a reservation back",
                List.of(),
                List.of(OK, 404),
                this::cancel),
            new Route(
                GET,
                "/v1/auth",
                "Decides on the request a proxy describes in X-Original-Method and X-Original-URI, or"
                    + " X-Forwarded-Method and X-Forwarded-Uri",
                List.of(),
                List.of(OK, 401, 403),
                (request, id) -> auth.handle(request)),
            new Route(
                GET,
                "/v1/openapi.json",
                "This description",
                List.of(),
                List.of(OK),
                (request, id) -> describe(request)));
  }

  /** What answers on one event loop. */
  public Handler<HttpServerRequest> handler() {
    return new Router(routes);
  }

  private void ask(HttpServerRequest http, Mode mode) {
    Body.read(
        http,
        body -> {
          try {
            Request request = CheckReader.check(body);
            desk.ask(http, request, mode, d -> answer(http.response(), d, mode, ""));
          } catch (BadInput | TooManyLimitsException e) {
            refuse(http, e);
          }
        });
  }

  private void batch(HttpServerRequest http) {
    Body.read(
        http,
        body -> {
          try {
            List<Request> requests = CheckReader.batch(body);
            @SuppressWarnings({"unchecked", "rawtypes"})
            CompletableFuture<Optional<Decision>>[] asked = new CompletableFuture[requests.size()];
            for (int i = 0; i < asked.length; i++) {
              asked[i] = decideOne(requests.get(i));
            }
            Desk.then(
                CompletableFuture.allOf(asked),
                all -> Reply.json(http.response(), OK, results(asked)));
          } catch (BadInput e) {
            refuse(http, e);
          }
        });
  }

  /** The decision on one of a batch; empty if it cannot be decided. */
  private CompletableFuture<Optional<Decision>> decideOne(Request request) {
    try {
      return desk.limiter().decide(request).thenApply(Optional::of);
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
        DecisionJson.fields(out, decision.get());
      } else {
        out.append("\"allowed\":false,\"error\":\"too_many_limits\"");
      }
      out.append('}');
    }
    return out.append("]}").toString();
  }

  private void reserve(HttpServerRequest http) {
    Body.read(
        http,
        body -> {
          try {
            CheckReader.Check check = CheckReader.reserve(body);
            if (!reservations.hasRoom()) {
              Reply.error(http, 503, "too_many_reservations", "settle some of those that are open");
              return;
            }
            Desk.then(
                desk.limiter().reserve(check.request(), Duration.ofMillis(check.ttlMillis())),
                reservation -> reserved(http, reservation, check.ttlMillis()));
          } catch (BadInput | TooManyLimitsException e) {
            refuse(http, e);
          }
        });
  }

  private void reserved(HttpServerRequest http, Reservation reservation, long ttlMillis) {
    Decision decision = reservation.decision();
    if (!decision.allowed()) {
      answer(http.response(), decision, Mode.TAKE, "");
      return;
    }
    if (http.response().closed()) {
      var unused = reservation.cancel(); // nobody will ever know its id
      return;
    }
    String id = reservations.keep(reservation, ttlMillis);
    StringBuilder more = new StringBuilder(",\"reservation\":");
    answer(http.response(), decision, Mode.TAKE, Json.quote(more, id).toString());
  }

  private void commit(HttpServerRequest http, String id) {
    Body.read(
        http,
        body -> {
          try {
            settle(http, id, CheckReader.commit(body));
          } catch (BadInput e) {
            refuse(http, e);
          }
        });
  }

  private void cancel(HttpServerRequest http, String id) {
    settle(http, id, 0);
  }

  private void settle(HttpServerRequest http, String id, long cost) {
    Reservation reservation = reservations.take(id);
    if (reservation == null) {
      String reason =
          reservations.isElsewhere(id)
              ? "this node did not make it; ask the one its id begins with"
              : "it is settled already, has expired, or never was";
      Reply.error(http, 404, "unknown_reservation", reason);
      return;
    }
    Desk.then(
        reservation.commit(cost),
        open -> {
          if (open) {
            String settled = settled(reservation.state());
            Reply.json(http.response(), OK, "{\"settled\":" + settled + ",\"cost\":" + cost + "}");
          } else {
            Reply.error(http, 404, "unknown_reservation", "it has expired");
          }
        });
  }

  private static String settled(Reservation.State state) {
    return switch (state) {
      case OPEN, PENDING -> "\"pending\"";
      case UNCONFIRMED -> "\"unconfirmed\"";
      case SETTLED -> "true";
    };
  }

  private void describe(HttpServerRequest http) {
    Reply.json(http.response(), OK, OpenApi.document("Weir decision API", routes));
  }

  private static void answer(
      HttpServerResponse response, Decision decision, Mode mode, String more) {
    if (response.ended() || response.closed()) {
      return;
    }
    RateLimitHeaders.write(decision, response::putHeader);
    StringBuilder body = new StringBuilder(320).append('{');
    DecisionJson.fields(body, decision).append(more).append('}');
    boolean refused = mode == Mode.TAKE && !decision.allowed();
    Reply.json(response, refused ? Refusal.STATUS : OK, body.toString());
  }

  private static void refuse(HttpServerRequest http, Exception e) {
    Reply.error(http, 400, "bad_request", String.valueOf(e.getMessage()));
  }
}
