package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rule.RuleSource;
import io.weir.rules.database.ApiKey;
import io.weir.rules.database.ApiKeys;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.NewKey;
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import io.weir.server.web.Route.Field;
import io.weir.server.web.Route.Parameter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;

/** The calls about API keys, which live beside the rules in a database. */
final class KeyCalls {
  private static final Logger LOG = System.getLogger(KeyCalls.class.getName());
  private static final String PATH = "/admin/keys";
  private static final String TEXT = "{\"type\":\"string\",\"maxLength\":200}";
  private static final List<Field> FIELDS =
      List.of(new Field("user", true, TEXT), new Field("tier", false, TEXT));
  private static final String EXAMPLE = "{\"user\":\"acme\",\"tier\":\"pro\"}";

  private final RuleSource rules;
  private final Work work;

  KeyCalls(RuleSource rules, Work work) {
    this.rules = rules;
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        call(GET, PATH, "All keys, without their secrets", List.of(), (keys, asked) -> list(keys))
            .answering(200),
        create(POST),
        create(PUT),
        call(GET, PATH + "/{id}", "One key, without its secret", List.of(), KeyCalls::one)
            .answering(200, 404),
        call(DELETE, PATH + "/{id}", "Revokes a key for good", List.of(), KeyCalls::revoke)
            .answering(200, 404));
  }

  private Route create(HttpMethod method) {
    return call(method, PATH, "Makes a key; only now its secret is shown", FIELDS, KeyCalls::create)
        .answering(201, 413, 415);
  }

  /** What a request asks. */
  private record Question(String id, String who, Buffer body) {}

  /** Answers a question. */
  @FunctionalInterface
  private interface Call {
    Answer answer(ApiKeys keys, Question asked) throws BadInput;
  }

  private Route call(
      HttpMethod method, String path, String summary, List<Field> fields, Call call) {
    Content content = Content.json(fields);
    Route.Handler handler = (http, id) -> ask(http, id, content, call);
    return new Route(method, path, summary, fields, List.of(409, 503), handler)
        .asking(Parameter.header(Asked.WHO));
  }

  private void ask(HttpServerRequest http, String id, Content content, Call call) {
    if (!(rules instanceof DatabaseRules database)) {
      Answer.error(
              409,
              "no_database",
              "API keys live in a database beside the rules; start with --rules jdbc:…")
          .send(http.response());
      return;
    }
    try {
      String who = Asked.who(http);
      Asked.body(
          http, content, work, body -> call.answer(database.keys(), new Question(id, who, body)));
    } catch (BadInput e) {
      Answer.bad(e).send(http.response());
    }
  }

  private static Answer list(ApiKeys keys) {
    List<String> all = keys.list().stream().map(KeyCalls::shown).toList();
    return Answer.ok(new JsonFields().list("keys", all).end());
  }

  private static Answer one(ApiKeys keys, Question asked) {
    return keys.list().stream()
        .filter(key -> key.caller().key().equals(asked.id()))
        .findAny()
        .map(key -> Answer.ok(shown(key)))
        .orElseGet(() -> noSuchKey(asked.id()));
  }

  private static Answer create(ApiKeys keys, Question asked) throws BadInput {
    List<String> known = FIELDS.stream().map(Field::name).toList();
    Form form = Form.read(asked.body(), known, EXAMPLE);
    String user = plain("user", form.text("user"));
    String tier = plain("tier", form.text("tier", ""));
    try {
      NewKey made = keys.create(user, tier, asked.who());
      LOG.log(Level.INFO, "{0} made API key {1}", asked.who(), made.id());
      JsonFields shown = new JsonFields().text("id", made.id());
      shown.text("user", user).text("tier", tier).text("secret", made.secret());
      return Answer.json(201, shown.end());
    } catch (IllegalArgumentException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
  }

  private static String plain(String name, String text) throws BadInput {
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new BadInput(name + " has control characters; send text");
    }
    return text;
  }

  private static Answer revoke(ApiKeys keys, Question asked) {
    if (!keys.revoke(asked.id())) {
      return noSuchKey(asked.id());
    }
    LOG.log(Level.INFO, "{0} revoked API key {1}", asked.who(), asked.id());
    return Answer.ok(new JsonFields().text("revoked", asked.id()).end());
  }

  private static String shown(ApiKey key) {
    return new JsonFields()
        .text("id", key.caller().key())
        .text("user", key.caller().user())
        .text("tier", key.caller().tier())
        .text("who", key.who())
        .text("created", key.created().toString())
        .text("revoked", key.revoked().map(Instant::toString).orElse(null))
        .end();
  }

  private static Answer noSuchKey(String id) {
    return Answer.error(
        404, "unknown_key", "there is no good key '" + Asked.shown(id) + "'; ids are in " + PATH);
  }
}
