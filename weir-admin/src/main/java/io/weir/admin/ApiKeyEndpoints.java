package io.weir.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.RuleSource;
import io.weir.rules.database.ApiKey;
import io.weir.rules.database.ApiKeys;
import io.weir.rules.database.EditableRules;
import io.weir.rules.database.NewApiKey;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.BodyField;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;

/** Endpoints that list, create and revoke API keys, which are stored in the rule database. */
final class ApiKeyEndpoints {
  private static final Logger LOG = System.getLogger(ApiKeyEndpoints.class.getName());
  private static final String PATH = "/admin/keys";
  private static final String TEXT_SCHEMA = "{\"type\":\"string\",\"maxLength\":200}";
  private static final List<BodyField> KEY_FIELDS =
      List.of(new BodyField("user", true, TEXT_SCHEMA), new BodyField("tier", false, TEXT_SCHEMA));
  private static final String EXAMPLE = "{\"user\":\"acme\",\"tier\":\"pro\"}";

  private final RuleSource rules;
  private final AdminWorkerPool workers;

  ApiKeyEndpoints(RuleSource rules, AdminWorkerPool workers) {
    this.rules = rules;
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        route(GET, PATH, "All API keys, without secrets", List.of(), (keys, request) -> list(keys))
            .withStatuses(200),
        create(POST),
        create(PUT),
        route(
                GET,
                PATH + "/{id}",
                "One API key, without its secret",
                List.of(),
                ApiKeyEndpoints::find)
            .withStatuses(200, 404),
        route(
                DELETE,
                PATH + "/{id}",
                "Revokes an API key permanently",
                List.of(),
                ApiKeyEndpoints::revoke)
            .withStatuses(200, 404));
  }

  private ApiRoute create(HttpMethod method) {
    return route(
            method,
            PATH,
            "Creates an API key; the response is the only one with its secret",
            KEY_FIELDS,
            ApiKeyEndpoints::create)
        .withStatuses(201, 413, 415);
  }

  /** A request about API keys. */
  private record ApiKeyRequest(String id, String actor, Buffer body) {}

  /** Executes an API key request. */
  @FunctionalInterface
  private interface ApiKeyOperation {
    AdminResponse execute(ApiKeys keys, ApiKeyRequest request) throws InvalidInputException;
  }

  private ApiRoute route(
      HttpMethod method,
      String path,
      String summary,
      List<BodyField> fields,
      ApiKeyOperation operation) {
    RequestContent content = RequestContent.json(fields);
    ApiRoute.RouteHandler handler = (http, id) -> handle(http, id, content, operation);
    return new ApiRoute(method, path, summary, fields, List.of(409, 503), handler)
        .withParameters(RouteParameter.header(AdminRequest.ACTOR_HEADER));
  }

  private void handle(
      HttpServerRequest http, String id, RequestContent content, ApiKeyOperation operation) {
    EditableRules database = EditableRules.of(rules).orElse(null);
    if (database == null) {
      AdminResponse.error(
              409,
              "no_database",
              "API keys are stored in the rule database; start with --rules jdbc:…")
          .send(http.response());
      return;
    }
    try {
      String actor = AdminRequest.actor(http);
      AdminRequest.readBody(
          http,
          content,
          workers,
          body -> operation.execute(database.keys(), new ApiKeyRequest(id, actor, body)));
    } catch (InvalidInputException e) {
      AdminResponse.badRequest(e).send(http.response());
    }
  }

  private static AdminResponse list(ApiKeys keys) {
    List<String> all = keys.list().stream().map(ApiKeyEndpoints::keyJson).toList();
    return AdminResponse.ok(new JsonObjectBuilder().rawJsonList("keys", all).build());
  }

  private static AdminResponse find(ApiKeys keys, ApiKeyRequest request) {
    return keys.list().stream()
        .filter(key -> key.owner().key().equals(request.id()))
        .findAny()
        .map(key -> AdminResponse.ok(keyJson(key)))
        .orElseGet(() -> unknownKey(request.id()));
  }

  private static AdminResponse create(ApiKeys keys, ApiKeyRequest request)
      throws InvalidInputException {
    List<String> known = KEY_FIELDS.stream().map(BodyField::name).toList();
    JsonRequestBody body = JsonRequestBody.read(request.body(), known, EXAMPLE);
    String user = requirePlainText("user", body.text("user"));
    String tier = requirePlainText("tier", body.text("tier", ""));
    try {
      NewApiKey created = keys.create(user, tier, request.actor());
      LOG.log(Level.INFO, "{0} created API key {1}", request.actor(), created.id());
      JsonObjectBuilder response = new JsonObjectBuilder().text("id", created.id());
      response.text("user", user).text("tier", tier).text("secret", created.secret());
      return AdminResponse.json(201, response.build());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  private static String requirePlainText(String name, String text) throws InvalidInputException {
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidInputException(name + " must not contain control characters");
    }
    return text;
  }

  private static AdminResponse revoke(ApiKeys keys, ApiKeyRequest request) {
    if (!keys.revoke(request.id())) {
      return unknownKey(request.id());
    }
    LOG.log(Level.INFO, "{0} revoked API key {1}", request.actor(), request.id());
    return AdminResponse.ok(new JsonObjectBuilder().text("revoked", request.id()).build());
  }

  private static String keyJson(ApiKey key) {
    return new JsonObjectBuilder()
        .text("id", key.owner().key())
        .text("user", key.owner().user())
        .text("tier", key.owner().tier())
        .text("who", key.who())
        .text("created", key.created().toString())
        .text("revoked", key.revoked().map(Instant::toString).orElse(null))
        .build();
  }

  private static AdminResponse unknownKey(String id) {
    return AdminResponse.error(
        404,
        "unknown_key",
        "there is no valid key '" + AdminRequest.truncate(id) + "'; list the ids with GET " + PATH);
  }
}
