package io.weir.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.Durations;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.EditableRules;
import io.weir.rules.database.StaleRevisionException;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.BodyField;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Endpoints that ban a caller for a limited time, and list and lift bans. */
final class BanEndpoints {
  private static final String PATH = "/admin/refusals";
  private static final String DURATION_FIELD = "for";

  private static final Logger LOG = System.getLogger(BanEndpoints.class.getName());

  /** The user in the change history for bans deleted after their end. */
  private static final String CLEANUP_ACTOR = "weir";

  private static final String EXAMPLE = "{\"for\":\"10m\"}";
  private static final List<BodyField> BAN_FIELDS =
      List.of(new BodyField(DURATION_FIELD, true, "{\"type\":\"string\",\"examples\":[\"10m\"]}"));

  private final AdministeredNode node;
  private final AdminWorkerPool workers;

  BanEndpoints(AdministeredNode node, AdminWorkerPool workers) {
    this.node = node;
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
            GET,
            PATH,
            "Temporary bans",
            List.of(),
            List.of(200),
            (http, id) -> workers.respond(http, this::listBans)),
        route(POST, "Bans a caller for a limited time", BAN_FIELDS, this::ban)
            .withStatuses(413, 415),
        route(DELETE, "Lifts the ban of a caller", List.of(), this::liftBan).withStatuses(404));
  }

  /** A request about the ban of a caller. */
  private record BanRequest(
      EditableRules rules, Map<String, String> caller, String actor, Buffer body) {}

  /** Executes a ban request. */
  @FunctionalInterface
  private interface BanOperation {
    AdminResponse execute(BanRequest request) throws InvalidInputException;
  }

  private ApiRoute route(
      HttpMethod method, String summary, List<BodyField> fields, BanOperation operation) {
    RequestContent content = RequestContent.json(fields);
    ApiRoute.RouteHandler handler = (http, id) -> handle(http, content, operation);
    return new ApiRoute(method, PATH, summary, fields, List.of(200, 409, 503), handler)
        .withParameters(
            RouteParameter.query("user"), RouteParameter.header(AdminRequest.ACTOR_HEADER));
  }

  private void handle(HttpServerRequest http, RequestContent content, BanOperation operation) {
    EditableRules rules = EditableRules.of(node.rules()).orElse(null);
    if (rules == null) {
      RuleEditEndpoints.rulesInFile(node.rules()).send(http.response());
      return;
    }
    try {
      Map<String, String> caller = CounterEndpoints.callerAttributes(http);
      String actor = AdminRequest.actor(http);
      AdminRequest.readBody(
          http,
          content,
          workers,
          body -> operation.execute(new BanRequest(rules, caller, actor, body)));
    } catch (InvalidInputException e) {
      AdminResponse.badRequest(e).send(http.response());
    }
  }

  private AdminResponse ban(BanRequest request) throws InvalidInputException {
    Duration duration;
    Rule ban;
    try {
      duration =
          Durations.parse(
              JsonRequestBody.read(request.body(), List.of(DURATION_FIELD), EXAMPLE)
                  .text(DURATION_FIELD));
      ban = TemporaryBan.create(request.caller(), duration, node.clock().wallMicros());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(e.getMessage() + "; send " + EXAMPLE);
    }
    List<Rule> previous = bansOf(request.caller());
    put(request, ban);
    previous.stream()
        .filter(other -> !other.id().equals(ban.id()))
        .forEach(other -> delete(request.rules(), other.id(), request.actor()));
    Request caller = Request.of(request.caller());
    Limiter limiter = limiter(RuleSet.of(ban));
    limiter.reset(caller).join();
    Decision charged = limiter.charge(caller.cost(TemporaryBan.initialCharge(duration))).join();
    return charged.degraded()
        ? AdminResponse.error(
            503,
            "store_unavailable",
            "the store is unavailable; the caller is refused until it is back")
        : AdminResponse.ok(banJson(ban));
  }

  private AdminResponse liftBan(BanRequest request) {
    List<Rule> bans = bansOf(request.caller());
    if (bans.isEmpty()) {
      return AdminResponse.error(404, "not_refused", "that caller is not banned");
    }
    for (Rule ban : bans) {
      limiter(RuleSet.of(ban)).reset(Request.of(request.caller())).join();
      delete(request.rules(), ban.id(), request.actor());
    }
    return AdminResponse.ok(new JsonObjectBuilder().text("lifted", bans.get(0).id()).build());
  }

  private List<Rule> bansOf(Map<String, String> caller) {
    return node.rules().current().rules().stream()
        .filter(rule -> TemporaryBan.isBanOf(rule, caller))
        .toList();
  }

  private AdminResponse listBans() {
    List<String> bans = new ArrayList<>();
    for (Rule rule : node.rules().current().rules()) {
      if (TemporaryBan.isBan(rule) && remaining(rule).toMillis() > 0) {
        bans.add(banJson(rule));
      }
    }
    return AdminResponse.ok(new JsonObjectBuilder().rawJsonList("refusals", bans).build());
  }

  private String banJson(Rule rule) {
    return new JsonObjectBuilder()
        .text("rule", rule.id())
        .textMap("caller", TemporaryBan.caller(rule))
        .number("left_ms", remaining(rule).toMillis())
        .build();
  }

  /** Returns how long a ban still lasts. */
  private Duration remaining(Rule rule) {
    return limiter(RuleSet.of(rule))
        .peek(Request.of(TemporaryBan.caller(rule)))
        .join()
        .retryAfter();
  }

  /** Deletes the rules of ended bans. Any node may do this at any time. */
  void deleteEndedBans() {
    EditableRules rules = EditableRules.of(node.rules()).orElse(null);
    if (rules != null) {
      long now = node.clock().wallMicros();
      for (Rule rule : rules.current().rules()) {
        if (TemporaryBan.isBan(rule) && TemporaryBan.endMicros(rule) <= now) {
          deleteEndedBan(rules, rule);
        }
      }
    }
  }

  /**
   * Deletes the rule of an ended ban. A failure is harmless: the rule is no longer enforced, and
   * rule health reports the unavailable database.
   */
  private static void deleteEndedBan(EditableRules rules, Rule rule) {
    try {
      delete(rules, rule.id(), CLEANUP_ACTOR);
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "a ban that has ended will be deleted later", e);
    }
  }

  private static void put(BanRequest request, Rule ban) {
    var unused =
        new Precondition(Precondition.PreconditionType.ANY, 0)
            .apply(
                request.rules().revision(ban.id()),
                revision -> request.rules().put(ban, request.actor(), revision));
  }

  private static void delete(EditableRules rules, String id, String actor) {
    try {
      rules.delete(id, actor, rules.revision(id));
    } catch (StaleRevisionException e) {
      // another node or user has changed the rule meanwhile
    }
  }

  private Limiter limiter(RuleSet rules) {
    return Weir.limiter(rules).store(node.store()).clock(node.clock()).build();
  }
}
