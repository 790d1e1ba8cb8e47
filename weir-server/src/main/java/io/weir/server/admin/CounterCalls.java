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
import io.weir.server.web.BadInput;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import io.weir.server.web.Route.Field;
import io.weir.server.web.Route.Parameter;
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
final class CounterCalls {
  private static final Logger LOG = System.getLogger(CounterCalls.class.getName());
  private static final String PATH = "/admin/counters";
  private static final String RULE = "rule";
  private static final String GRANT = "grant";
  private static final String EXAMPLE = "{\"grant\":10}";
  private static final List<Field> GRANTED =
      List.of(new Field(GRANT, true, "{\"type\":\"integer\",\"minimum\":1}"));

  /** So that one call cannot ask a store for the counters of ten thousand rules at once. */
  private static final int MOST_RULES = 200;

  private final Node node;
  private final Work work;

  CounterCalls(Node node, Work work) {
    this.node = node;
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        call(GET, "A caller's counters, of one rule or of all", List.of(), this::show),
        call(DELETE, "Makes a caller's counters of a rule fresh", List.of(), this::reset),
        call(POST, "Gives a caller permits of a rule back", GRANTED, this::grant)
            .answering(413, 415));
  }

  /**
   * What a request asks.
   *
   * @param rule empty where all are meant
   */
  private record Question(String rule, Request caller, String who, Buffer body) {}

  /** Answers a question. */
  @FunctionalInterface
  private interface Call {
    Answer answer(Question asked) throws BadInput;
  }

  private Route call(HttpMethod method, String summary, List<Field> fields, Call call) {
    Content content = Content.json(fields);
    Route.Handler handler = (http, id) -> ask(http, content, call);
    return new Route(method, PATH, summary, fields, List.of(200, 404, 503), handler)
        .asking(Parameter.query(RULE), Parameter.query("user"), Parameter.header(Asked.WHO));
  }

  private void ask(HttpServerRequest http, Content content, Call call) {
    try {
      Map<String, String> caller = caller(http);
      String rule = caller.getOrDefault(RULE, "");
      caller.remove(RULE);
      Request request = Request.of(caller);
      String who = Asked.who(http);
      Asked.body(http, content, work, body -> call.answer(new Question(rule, request, who, body)));
    } catch (BadInput e) {
      Answer.bad(e).send(http.response());
    } catch (IllegalArgumentException e) {
      Answer.bad(new BadInput(String.valueOf(e.getMessage()))).send(http.response());
    }
  }

  /** The attributes a query names. */
  static Map<String, String> caller(HttpServerRequest http) throws BadInput {
    Map<String, String> caller = new LinkedHashMap<>();
    for (Map.Entry<String, String> one : http.params(true)) {
      if (caller.put(one.getKey(), one.getValue()) != null) {
        throw new BadInput("'" + Asked.shown(one.getKey()) + "' stands twice; send it once");
      }
    }
    return caller;
  }

  private Answer show(Question asked) throws BadInput {
    RuleSet all = node.regions().rules().current();
    if (!asked.rule().isEmpty()) {
      return all.rule(asked.rule()) == null
          ? RuleCalls.noSuchRule(asked.rule())
          : shown(asked, one(all, asked));
    }
    List<Rule> counting =
        all.rules().stream().filter(rule -> countsFor(rule, asked.caller())).toList();
    Stream<Rule> some = counting.stream().limit(MOST_RULES);
    RuleSet together = RuleSet.of(all.revision(), some.map(r -> alone(all, r)).toList());
    return shown(asked, together);
  }

  private Answer reset(Question asked) throws BadInput {
    return change(asked, "reset", limiter -> limiter.reset(asked.caller()).join());
  }

  private Answer grant(Question asked) throws BadInput {
    String text = Form.read(asked.body(), List.of(GRANT), EXAMPLE).text(GRANT);
    if (!text.matches("[0-9]{1,16}") || text.matches("0+")) {
      throw new BadInput("grant is no number of permits; send " + EXAMPLE);
    }
    long permits = Math.min(Long.parseLong(text), Claim.MAX_COST);
    return change(asked, "granted", l -> l.refund(asked.caller().cost(permits)).join());
  }

  /** Something done to the counters of one rule. */
  @FunctionalInterface
  private interface Deed {
    Decision on(Limiter limiter);
  }

  private Answer change(Question asked, String done, Deed deed) throws BadInput {
    if (asked.rule().isEmpty()) {
      throw new BadInput("rule is missing; send ?rule=id and whom it counts");
    }
    RuleSet all = node.regions().rules().current();
    if (all.rule(asked.rule()) == null) {
      return RuleCalls.noSuchRule(asked.rule());
    }
    RuleSet rule = one(all, asked);
    if (deed.on(limiter(rule)).degraded()) {
      return Answer.error(503, "store_unavailable", "the store does not answer; nothing was done");
    }
    LOG.log(Level.INFO, "{0} {1} a counter of rule {2}", asked.who(), done, asked.rule());
    return shown(asked, rule);
  }

  private Answer shown(Question asked, RuleSet rules) {
    return Answer.ok(CounterView.of(asked.caller(), limiter(rules).peek(asked.caller()).join()));
  }

  private Limiter limiter(RuleSet rules) {
    return Weir.limiter(rules).store(node.store()).clock(node.clock()).build();
  }

  /** The rule that is named, for a caller that it counts. */
  private static RuleSet one(RuleSet all, Question asked) throws BadInput {
    RuleSet one = all.only(asked.rule());
    Rule rule = one.rules().get(0);
    if (!countsFor(rule, asked.caller())) {
      throw new BadInput(
          "rule '%s' counts per %s; send &%s=…"
              .formatted(rule.id(), rule.per(), String.join("=…&", rule.per())));
    }
    return one;
  }

  private static boolean countsFor(Rule rule, Request caller) {
    return rule.per().stream().allMatch(name -> caller.get(name) != null);
  }

  private static Rule alone(RuleSet all, Rule rule) {
    return all.only(rule.id()).rules().get(0);
  }
}
