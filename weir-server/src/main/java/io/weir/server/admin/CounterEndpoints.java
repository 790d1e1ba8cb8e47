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
import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.BodyField;
import io.weir.server.web.ApiRoute.RequestContent;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.InvalidInputException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The calls about one caller's counters: seen, given permits back, made fresh.
 *
 * <p>A caller is named by the attributes a rule counts per, as {@code ?rule=api&user=42}, whatever
 * else the rule selects by.
 */
final class CounterEndpoints {
  private static final Logger LOG = System.getLogger(CounterEndpoints.class.getName());
  private static final String PATH = "/admin/counters";
  private static final String RULE_PARAMETER = "rule";
  private static final String GRANT_FIELD = "grant";
  private static final String EXAMPLE = "{\"grant\":10}";
  private static final List<BodyField> GRANT_FIELDS =
      List.of(new BodyField(GRANT_FIELD, true, "{\"type\":\"integer\",\"minimum\":1}"));

  /** So that one call cannot ask a store for the counters of ten thousand rules at once. */
  private static final int MAX_RULES = 200;

  private final AdministeredNode node;
  private final AdminWorkerPool workers;

  CounterEndpoints(AdministeredNode node, AdminWorkerPool work) {
    this.node = node;
    this.workers = work;
  }

  List<ApiRoute> routes() {
    return List.of(
        route(GET, "A caller's counters, of one rule or of all", List.of(), this::show),
        route(DELETE, "Makes a caller's counters of a rule fresh", List.of(), this::reset),
        route(POST, "Gives a caller permits of a rule back", GRANT_FIELDS, this::grant)
            .withStatuses(413, 415));
  }

  /**
   * What a request asks.
   *
   * @param rule empty where all are meant
   */
  private record CounterRequest(String rule, Request caller, String actor, Buffer body) {}

  /** Answers a question. */
  @FunctionalInterface
  private interface CounterOperation {
    AdminResponse execute(CounterRequest asked) throws InvalidInputException;
  }

  private ApiRoute route(
      HttpMethod method, String summary, List<BodyField> fields, CounterOperation call) {
    RequestContent content = RequestContent.json(fields);
    ApiRoute.RouteHandler handler = (http, id) -> handle(http, content, call);
    return new ApiRoute(method, PATH, summary, fields, List.of(200, 404, 503), handler)
        .withParameters(
            RouteParameter.query(RULE_PARAMETER),
            RouteParameter.query("user"),
            RouteParameter.header(AdminRequest.ACTOR_HEADER));
  }

  private void handle(HttpServerRequest http, RequestContent content, CounterOperation call) {
    try {
      Map<String, String> caller = callerAttributes(http);
      String rule = caller.getOrDefault(RULE_PARAMETER, "");
      caller.remove(RULE_PARAMETER);
      Request request = Request.of(caller);
      String who = AdminRequest.actor(http);
      AdminRequest.readBody(
          http,
          content,
          workers,
          body -> call.execute(new CounterRequest(rule, request, who, body)));
    } catch (InvalidInputException e) {
      AdminResponse.badRequest(e).send(http.response());
    } catch (IllegalArgumentException e) {
      AdminResponse.badRequest(new InvalidInputException(String.valueOf(e.getMessage())))
          .send(http.response());
    }
  }

  /** The attributes a query names. */
  static Map<String, String> callerAttributes(HttpServerRequest http) throws InvalidInputException {
    Map<String, String> caller = new LinkedHashMap<>();
    for (Map.Entry<String, String> one : http.params(true)) {
      if (caller.put(one.getKey(), one.getValue()) != null) {
        throw new InvalidInputException(
            "'" + AdminRequest.truncate(one.getKey()) + "' stands twice; send it once");
      }
    }
    return caller;
  }

  private AdminResponse show(CounterRequest asked) throws InvalidInputException {
    RuleSet all = node.regions().rules().current();
    if (!asked.rule().isEmpty()) {
      return all.rule(asked.rule()) == null
          ? RuleEndpoints.unknownRule(asked.rule())
          : respondWith(asked, singleRule(all, asked));
    }
    List<Rule> counting =
        all.rules().stream().filter(rule -> isCountedBy(rule, asked.caller())).toList();
    Stream<Rule> some = counting.stream().limit(MAX_RULES);
    RuleSet together = RuleSet.of(all.revision(), some.map(r -> isolated(all, r)).toList());
    return respondWith(asked, together);
  }

  private AdminResponse reset(CounterRequest asked) throws InvalidInputException {
    return changeCounters(asked, "reset", limiter -> limiter.reset(asked.caller()).join());
  }

  private AdminResponse grant(CounterRequest asked) throws InvalidInputException {
    String text =
        JsonRequestBody.read(asked.body(), List.of(GRANT_FIELD), EXAMPLE).text(GRANT_FIELD);
    if (!text.matches("[0-9]{1,16}") || text.matches("0+")) {
      throw new InvalidInputException("grant is no number of permits; send " + EXAMPLE);
    }
    long permits = Math.min(Long.parseLong(text), Claim.MAX_COST);
    return changeCounters(asked, "granted", l -> l.refund(asked.caller().cost(permits)).join());
  }

  /** Something done to the counters of one rule. */
  @FunctionalInterface
  private interface CounterChange {
    Decision applyTo(Limiter limiter);
  }

  private AdminResponse changeCounters(CounterRequest asked, String done, CounterChange deed)
      throws InvalidInputException {
    if (asked.rule().isEmpty()) {
      throw new InvalidInputException("rule is missing; send ?rule=id and whom it counts");
    }
    RuleSet all = node.regions().rules().current();
    if (all.rule(asked.rule()) == null) {
      return RuleEndpoints.unknownRule(asked.rule());
    }
    RuleSet rule = singleRule(all, asked);
    if (deed.applyTo(limiter(rule)).degraded()) {
      return AdminResponse.error(
          503, "store_unavailable", "the store does not answer; nothing was done");
    }
    LOG.log(Level.INFO, "{0} {1} a counter of rule {2}", asked.actor(), done, asked.rule());
    return respondWith(asked, rule);
  }

  private AdminResponse respondWith(CounterRequest asked, RuleSet rules) {
    return AdminResponse.ok(
        CounterJson.of(asked.caller(), limiter(rules).peek(asked.caller()).join()));
  }

  private Limiter limiter(RuleSet rules) {
    return Weir.limiter(rules).store(node.store()).clock(node.clock()).build();
  }

  /** The rule that is named, for a caller that it counts. */
  private static RuleSet singleRule(RuleSet all, CounterRequest asked)
      throws InvalidInputException {
    RuleSet one = all.onlyRule(asked.rule());
    Rule rule = one.rules().get(0);
    if (!isCountedBy(rule, asked.caller())) {
      throw new InvalidInputException(
          "rule '%s' counts per %s; send &%s=…"
              .formatted(rule.id(), rule.per(), String.join("=…&", rule.per())));
    }
    return one;
  }

  private static boolean isCountedBy(Rule rule, Request caller) {
    return rule.per().stream().allMatch(name -> caller.get(name) != null);
  }

  private static Rule isolated(RuleSet all, Rule rule) {
    return all.onlyRule(rule.id()).rules().get(0);
  }
}
