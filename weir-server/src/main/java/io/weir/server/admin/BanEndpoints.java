package io.weir.server.admin;

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
import io.weir.rule.Durations;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.StaleRevisionException;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.BodyField;
import io.weir.server.web.ApiRoute.RequestContent;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.InvalidInputException;
import io.weir.server.web.JsonObjectBuilder;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The calls that refuse a caller for a time, whatever it asks for, and lift that again. */
final class BanEndpoints {
  private static final String PATH = "/admin/refusals";
  private static final String DURATION_FIELD = "for";

  /** Who is said to have deleted a rule that has ended. */
  private static final Logger LOG = System.getLogger(BanEndpoints.class.getName());

  private static final String CLEANUP_ACTOR = "weir";

  private static final String EXAMPLE = "{\"for\":\"10m\"}";
  private static final List<BodyField> BAN_FIELDS =
      List.of(new BodyField(DURATION_FIELD, true, "{\"type\":\"string\",\"examples\":[\"10m\"]}"));

  private final AdministeredNode node;
  private final AdminWorkerPool workers;

  BanEndpoints(AdministeredNode node, AdminWorkerPool work) {
    this.node = node;
    this.workers = work;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
            GET,
            PATH,
            "Callers refused for a time",
            List.of(),
            List.of(200),
            (http, id) -> workers.respond(http, this::listBans)),
        route(POST, "Refuses a caller for a time", BAN_FIELDS, this::ban).withStatuses(413, 415),
        route(DELETE, "Lifts the refusal of a caller", List.of(), this::liftBan).withStatuses(404));
  }

  /** What a request asks. */
  private record BanRequest(
      DatabaseRules rules, Map<String, String> caller, String actor, Buffer body) {}

  /** Answers a question. */
  @FunctionalInterface
  private interface BanOperation {
    AdminResponse execute(BanRequest asked) throws InvalidInputException;
  }

  private ApiRoute route(
      HttpMethod method, String summary, List<BodyField> fields, BanOperation call) {
    RequestContent content = RequestContent.json(fields);
    ApiRoute.RouteHandler handler = (http, id) -> handle(http, content, call);
    return new ApiRoute(method, PATH, summary, fields, List.of(200, 409, 503), handler)
        .withParameters(
            RouteParameter.query("user"), RouteParameter.header(AdminRequest.ACTOR_HEADER));
  }

  private void handle(HttpServerRequest http, RequestContent content, BanOperation call) {
    if (!(node.rules() instanceof DatabaseRules rules)) {
      RuleEditEndpoints.rulesInFile(node.rules()).send(http.response());
      return;
    }
    try {
      Map<String, String> caller = CounterEndpoints.callerAttributes(http);
      String who = AdminRequest.actor(http);
      AdminRequest.readBody(
          http, content, workers, body -> call.execute(new BanRequest(rules, caller, who, body)));
    } catch (InvalidInputException e) {
      AdminResponse.badRequest(e).send(http.response());
    }
  }

  private AdminResponse ban(BanRequest asked) throws InvalidInputException {
    Duration time;
    Rule rule;
    try {
      time =
          Durations.parse(
              JsonRequestBody.read(asked.body(), List.of(DURATION_FIELD), EXAMPLE)
                  .text(DURATION_FIELD));
      rule = TemporaryBan.create(asked.caller(), time, node.clock().wallMicros());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(e.getMessage() + "; send " + EXAMPLE);
    }
    List<Rule> before = bansOf(asked.caller());
    put(asked, rule);
    before.stream()
        .filter(old -> !old.id().equals(rule.id()))
        .forEach(old -> delete(asked.rules(), old.id(), asked.actor()));
    Request caller = Request.of(asked.caller());
    Limiter limiter = limiter(RuleSet.of(rule));
    limiter.reset(caller).join();
    Decision charged = limiter.charge(caller.cost(TemporaryBan.initialCharge(time))).join();
    return charged.degraded()
        ? AdminResponse.error(
            503,
            "store_unavailable",
            "the store does not answer; the caller is refused until it does")
        : AdminResponse.ok(banJson(rule));
  }

  private AdminResponse liftBan(BanRequest asked) {
    List<Rule> refusing = bansOf(asked.caller());
    if (refusing.isEmpty()) {
      return AdminResponse.error(404, "not_refused", "that caller is not refused for a time");
    }
    for (Rule rule : refusing) {
      limiter(RuleSet.of(rule)).reset(Request.of(asked.caller())).join();
      delete(asked.rules(), rule.id(), asked.actor());
    }
    return AdminResponse.ok(new JsonObjectBuilder().text("lifted", refusing.get(0).id()).build());
  }

  private List<Rule> bansOf(Map<String, String> caller) {
    return node.rules().current().rules().stream()
        .filter(rule -> TemporaryBan.isBanOf(rule, caller))
        .toList();
  }

  private AdminResponse listBans() {
    List<String> refused = new ArrayList<>();
    for (Rule rule : node.rules().current().rules()) {
      if (TemporaryBan.isBan(rule) && remaining(rule).toMillis() > 0) {
        refused.add(banJson(rule));
      }
    }
    return AdminResponse.ok(new JsonObjectBuilder().rawJsonList("refusals", refused).build());
  }

  private String banJson(Rule rule) {
    JsonObjectBuilder caller = new JsonObjectBuilder();
    TemporaryBan.caller(rule).forEach(caller::text);
    return new JsonObjectBuilder()
        .text("rule", rule.id())
        .rawJson("caller", caller.build())
        .number("left_ms", remaining(rule).toMillis())
        .build();
  }

  /** For how long the caller of a rule is refused from now on. */
  private Duration remaining(Rule rule) {
    return limiter(RuleSet.of(rule))
        .peek(Request.of(TemporaryBan.caller(rule)))
        .join()
        .retryAfter();
  }

  /** Deletes the rules whose time is over; every node may do it, at any time. */
  void deleteEndedBans() {
    if (node.rules() instanceof DatabaseRules rules) {
      long now = node.clock().wallMicros();
      for (Rule rule : rules.current().rules()) {
        if (TemporaryBan.isBan(rule) && TemporaryBan.endMicros(rule) <= now) {
          deleteEndedBan(rules, rule);
        }
      }
    }
  }

  /** A database that is away is told of by the rules' health; the rule does not act meanwhile. */
  private static void deleteEndedBan(DatabaseRules rules, Rule rule) {
    try {
      delete(rules, rule.id(), CLEANUP_ACTOR);
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "a ban that has ended will be deleted later", e);
    }
  }

  private static void put(BanRequest asked, Rule rule) {
    var unused =
        new Precondition(Precondition.PreconditionType.ANY, 0)
            .apply(
                asked.rules().revision(rule.id()), r -> asked.rules().put(rule, asked.actor(), r));
  }

  private static void delete(DatabaseRules rules, String id, String who) {
    try {
      rules.delete(id, who, rules.revision(id));
    } catch (StaleRevisionException e) {
      // somebody else was faster
    }
  }

  private Limiter limiter(RuleSet rules) {
    return Weir.limiter(rules).store(node.store()).clock(node.clock()).build();
  }
}
