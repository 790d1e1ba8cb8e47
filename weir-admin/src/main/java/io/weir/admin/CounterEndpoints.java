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
import io.weir.internal.rule.Claim;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleSet;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.BodyField;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Endpoints that show, refund and reset the counters of one caller.
 *
 * <p>A caller is identified by the attributes a rule counts per, for example {@code
 * ?rule=api&user=42}. The other selectors of the rule do not matter.
 */
final class CounterEndpoints {
  private static final Logger LOG = System.getLogger(CounterEndpoints.class.getName());
  private static final String PATH = "/admin/counters";
  private static final String RULE_PARAMETER = "rule";
  private static final String REFUND_FIELD = "refund";
  private static final String EXAMPLE = "{\"refund\":10}";
  private static final List<BodyField> REFUND_FIELDS =
      List.of(new BodyField(REFUND_FIELD, true, "{\"type\":\"integer\",\"minimum\":1}"));

  /** Bounds the counters one request can read from the store. */
  private static final int MAX_RULES = 200;

  private final AdministeredNode node;
  private final AdminWorkerPool workers;

  CounterEndpoints(AdministeredNode node, AdminWorkerPool workers) {
    this.node = node;
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        route(GET, "Counters of a caller, for one rule or all rules", List.of(), this::show),
        route(DELETE, "Resets the counters of a caller for one rule", List.of(), this::reset),
        route(POST, "Refunds permits of a rule to a caller", REFUND_FIELDS, this::refund)
            .withStatuses(413, 415));
  }

  /**
   * A request about the counters of a caller.
   *
   * @param rule the rule id; empty for all rules
   */
  private record CounterRequest(String rule, Request caller, String actor, Buffer body) {}

  /** Executes a counter request. */
  @FunctionalInterface
  private interface CounterOperation {
    AdminResponse execute(CounterRequest request) throws InvalidInputException;
  }

  private ApiRoute route(
      HttpMethod method, String summary, List<BodyField> fields, CounterOperation operation) {
    RequestContent content = RequestContent.json(fields);
    ApiRoute.RouteHandler handler = (http, id) -> handle(http, content, operation);
    return new ApiRoute(method, PATH, summary, fields, List.of(200, 404, 503), handler)
        .withParameters(
            RouteParameter.query(RULE_PARAMETER),
            RouteParameter.query("user"),
            RouteParameter.header(AdminRequest.ACTOR_HEADER));
  }

  private void handle(HttpServerRequest http, RequestContent content, CounterOperation operation) {
    try {
      Map<String, String> caller = callerAttributes(http);
      String rule = caller.getOrDefault(RULE_PARAMETER, "");
      caller.remove(RULE_PARAMETER);
      Request callerRequest = Request.of(caller);
      String actor = AdminRequest.actor(http);
      AdminRequest.readBody(
          http,
          content,
          workers,
          body -> operation.execute(new CounterRequest(rule, callerRequest, actor, body)));
    } catch (InvalidInputException e) {
      AdminResponse.badRequest(e).send(http.response());
    } catch (IllegalArgumentException e) {
      AdminResponse.badRequest(new InvalidInputException(String.valueOf(e.getMessage())))
          .send(http.response());
    }
  }

  /** Returns the attributes given as query parameters. */
  static Map<String, String> callerAttributes(HttpServerRequest http) throws InvalidInputException {
    Map<String, String> caller = new LinkedHashMap<>();
    for (Map.Entry<String, String> parameter : http.params(true)) {
      if (caller.put(parameter.getKey(), parameter.getValue()) != null) {
        throw new InvalidInputException(
            "'" + AdminRequest.truncate(parameter.getKey()) + "' is given twice; send it once");
      }
    }
    return caller;
  }

  private AdminResponse show(CounterRequest request) throws InvalidInputException {
    RuleSet rules = node.regions().rules().current();
    if (!request.rule().isEmpty()) {
      return rules.rule(request.rule()) == null
          ? RuleEndpoints.unknownRule(request.rule())
          : respondWith(request, singleRule(rules, request));
    }
    List<Rule> matching =
        rules.rules().stream()
            .filter(rule -> isCountedBy(rule, request.caller()) && !TemporaryBan.isBan(rule))
            .toList();
    Stream<Rule> first = matching.stream().limit(MAX_RULES);
    RuleSet isolatedRules =
        RuleSet.of(rules.revision(), first.map(r -> isolated(rules, r)).toList());
    return respondWith(request, isolatedRules);
  }

  private AdminResponse reset(CounterRequest request) throws InvalidInputException {
    return changeCounters(
        request, "reset a counter", limiter -> limiter.reset(request.caller()).join());
  }

  private AdminResponse refund(CounterRequest request) throws InvalidInputException {
    String text =
        JsonRequestBody.read(request.body(), List.of(REFUND_FIELD), EXAMPLE).text(REFUND_FIELD);
    if (!text.matches("[0-9]{1,16}") || text.matches("0+")) {
      throw new InvalidInputException(
          "refund must be a positive whole number, for example " + EXAMPLE);
    }
    long permits = Math.min(Long.parseLong(text), Claim.MAX_COST);
    return changeCounters(
        request,
        "refunded permits",
        limiter -> limiter.refund(request.caller().cost(permits)).join());
  }

  /** A change to the counters of one rule. */
  @FunctionalInterface
  private interface CounterChange {
    Decision applyTo(Limiter limiter);
  }

  private AdminResponse changeCounters(CounterRequest request, String action, CounterChange change)
      throws InvalidInputException {
    if (request.rule().isEmpty()) {
      throw new InvalidInputException(
          "rule is missing; send ?rule=id and the attributes it counts per");
    }
    RuleSet rules = node.regions().rules().current();
    if (rules.rule(request.rule()) == null) {
      return RuleEndpoints.unknownRule(request.rule());
    }
    RuleSet rule = singleRule(rules, request);
    if (change.applyTo(limiter(rule)).degraded()) {
      return AdminResponse.error(
          503, "store_unavailable", "the store is unavailable; nothing was changed");
    }
    LOG.log(Level.INFO, "{0} {1} of rule {2}", request.actor(), action, request.rule());
    return respondWith(request, rule);
  }

  private AdminResponse respondWith(CounterRequest request, RuleSet rules) {
    return AdminResponse.ok(
        CounterJson.of(request.caller(), limiter(rules).peek(request.caller()).join()));
  }

  private Limiter limiter(RuleSet rules) {
    return Weir.limiter(rules).store(node.store()).clock(node.clock()).build();
  }

  /** Returns the requested rule if the request names all attributes it counts per. */
  private static RuleSet singleRule(RuleSet rules, CounterRequest request)
      throws InvalidInputException {
    RuleSet single = rules.onlyRule(request.rule());
    Rule rule = single.rules().get(0);
    if (rule.action() != RuleAction.LIMIT) {
      throw new InvalidInputException(
          "rule '%s' has no counters; name a rule that limits".formatted(rule.id()));
    }
    if (!isCountedBy(rule, request.caller())) {
      throw new InvalidInputException(
          "rule '%s' counts per %s; send &%s=…"
              .formatted(rule.id(), rule.per(), String.join("=…&", rule.per())));
    }
    return single;
  }

  private static boolean isCountedBy(Rule rule, Request caller) {
    boolean byAddress =
        rule.missing() == MissingAttributePolicy.ADDRESS && caller.get("ip") != null;
    return rule.action() == RuleAction.LIMIT
        && (byAddress || rule.per().stream().allMatch(name -> caller.get(name) != null));
  }

  private static Rule isolated(RuleSet rules, Rule rule) {
    return rules.onlyRule(rule.id()).rules().get(0);
  }
}
