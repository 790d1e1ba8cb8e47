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
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import io.weir.server.web.Route.Field;
import io.weir.server.web.Route.Parameter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The calls that refuse a caller for a time, whatever it asks for, and lift that again. */
final class RefusalCalls {
  private static final String PATH = "/admin/refusals";
  private static final String FOR = "for";

  /** Who is said to have deleted a rule that has ended. */
  private static final Logger LOG = System.getLogger(RefusalCalls.class.getName());

  private static final String SWEEPER = "weir";

  private static final String EXAMPLE = "{\"for\":\"10m\"}";
  private static final List<Field> FIELDS =
      List.of(new Field(FOR, true, "{\"type\":\"string\",\"examples\":[\"10m\"]}"));

  private final Node node;
  private final Work work;

  RefusalCalls(Node node, Work work) {
    this.node = node;
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        new Route(
            GET,
            PATH,
            "Callers refused for a time",
            List.of(),
            List.of(200),
            (http, id) -> work.answer(http, this::list)),
        call(POST, "Refuses a caller for a time", FIELDS, this::refuse).answering(413, 415),
        call(DELETE, "Lifts the refusal of a caller", List.of(), this::lift).answering(404));
  }

  /** What a request asks. */
  private record Question(
      DatabaseRules rules, Map<String, String> caller, String who, Buffer body) {}

  /** Answers a question. */
  @FunctionalInterface
  private interface Call {
    Answer answer(Question asked) throws BadInput;
  }

  private Route call(HttpMethod method, String summary, List<Field> fields, Call call) {
    Content content = Content.json(fields);
    Route.Handler handler = (http, id) -> ask(http, content, call);
    return new Route(method, PATH, summary, fields, List.of(200, 409, 503), handler)
        .asking(Parameter.query("user"), Parameter.header(Asked.WHO));
  }

  private void ask(HttpServerRequest http, Content content, Call call) {
    if (!(node.rules() instanceof DatabaseRules rules)) {
      RuleEdits.elsewhere(node.rules()).send(http.response());
      return;
    }
    try {
      Map<String, String> caller = CounterCalls.caller(http);
      String who = Asked.who(http);
      Asked.body(http, content, work, body -> call.answer(new Question(rules, caller, who, body)));
    } catch (BadInput e) {
      Answer.bad(e).send(http.response());
    }
  }

  private Answer refuse(Question asked) throws BadInput {
    Duration time;
    Rule rule;
    try {
      time = Durations.parse(Form.read(asked.body(), List.of(FOR), EXAMPLE).text(FOR));
      rule = Hold.rule(asked.caller(), time, node.clock().wallMicros());
    } catch (IllegalArgumentException e) {
      throw new BadInput(e.getMessage() + "; send " + EXAMPLE);
    }
    List<Rule> before = rules(asked.caller());
    put(asked, rule);
    before.stream()
        .filter(old -> !old.id().equals(rule.id()))
        .forEach(old -> delete(asked.rules(), old.id(), asked.who()));
    Request caller = Request.of(asked.caller());
    Limiter limiter = limiter(RuleSet.of(rule));
    limiter.reset(caller).join();
    Decision charged = limiter.charge(caller.cost(Hold.cost(time))).join();
    return charged.degraded()
        ? Answer.error(
            503,
            "store_unavailable",
            "the store does not answer; the caller is refused until it does")
        : Answer.ok(shown(rule));
  }

  private Answer lift(Question asked) {
    List<Rule> refusing = rules(asked.caller());
    if (refusing.isEmpty()) {
      return Answer.error(404, "not_refused", "that caller is not refused for a time");
    }
    for (Rule rule : refusing) {
      limiter(RuleSet.of(rule)).reset(Request.of(asked.caller())).join();
      delete(asked.rules(), rule.id(), asked.who());
    }
    return Answer.ok(new JsonFields().text("lifted", refusing.get(0).id()).end());
  }

  private List<Rule> rules(Map<String, String> caller) {
    return node.rules().current().rules().stream().filter(rule -> Hold.isOf(rule, caller)).toList();
  }

  private Answer list() {
    List<String> refused = new ArrayList<>();
    for (Rule rule : node.rules().current().rules()) {
      if (Hold.is(rule) && left(rule).toMillis() > 0) {
        refused.add(shown(rule));
      }
    }
    return Answer.ok(new JsonFields().list("refusals", refused).end());
  }

  private String shown(Rule rule) {
    JsonFields caller = new JsonFields();
    Hold.caller(rule).forEach(caller::text);
    return new JsonFields()
        .text("rule", rule.id())
        .json("caller", caller.end())
        .number("left_ms", left(rule).toMillis())
        .end();
  }

  /** For how long the caller of a rule is refused from now on. */
  private Duration left(Rule rule) {
    return limiter(RuleSet.of(rule)).peek(Request.of(Hold.caller(rule))).join().retryAfter();
  }

  /** Deletes the rules whose time is over; every node may do it, at any time. */
  void sweep() {
    if (node.rules() instanceof DatabaseRules rules) {
      long now = node.clock().wallMicros();
      for (Rule rule : rules.current().rules()) {
        if (Hold.is(rule) && Hold.end(rule) <= now) {
          deleteEnded(rules, rule);
        }
      }
    }
  }

  /** A database that is away is told of by the rules' health; the rule does not act meanwhile. */
  private static void deleteEnded(DatabaseRules rules, Rule rule) {
    try {
      delete(rules, rule.id(), SWEEPER);
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "a ban that has ended will be deleted later", e);
    }
  }

  private static void put(Question asked, Rule rule) {
    var unused =
        new Meant(Meant.Kind.WHATEVER, 0)
            .of(asked.rules().revision(rule.id()), r -> asked.rules().put(rule, asked.who(), r));
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
