package io.weir.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.cli.ServerHttpClient.ServerHttpResponse;
import io.weir.cli.repository.RuleRepository;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.InvalidConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The rules of a running server, read and changed through its admin API. */
record RemoteRuleRepository(ServerHttpClient client, String token) implements RuleRepository {
  private static final String RULES_PATH = "/admin/rules";

  @Override
  public String name() {
    return client.address();
  }

  @Override
  public StoredRules content() {
    ServerHttpResponse response = send("GET", Map.of(), "");
    try {
      JsonObject all = new JsonObject(response.body());
      JsonArray rules = all.getJsonArray("rules");
      JsonObject revisions = all.getJsonObject("revisions", new JsonObject());
      JsonObject refused = all.getJsonObject("refused", new JsonObject());
      List<Rule> read = Rules.read(client.address(), new JsonObject().put("rules", rules).encode());
      Map<String, String> reasons = new TreeMap<>();
      refused.forEach(rule -> reasons.put(rule.getKey(), String.valueOf(rule.getValue())));
      return new StoredRules(
          all.getLong("revision"),
          read.stream().map(r -> new StoredRule(r, revisions.getLong(r.id(), 0L))).toList(),
          reasons);
    } catch (DecodeException
        | ClassCastException
        | NullPointerException
        | InvalidConfigurationException e) {
      throw new CommandException(
          client.address() + " is not a Weir admin API; use --server with the admin port", e);
    }
  }

  @Override
  public long replace(List<Rule> rules, String who, long expectedRevision) {
    ServerHttpResponse response =
        send(
            "PUT",
            Map.of("If-Match", "\"" + expectedRevision + "\"", "X-Weir-User", who),
            Rules.toJson(rules));
    return new JsonObject(response.body()).getLong("revision", 0L);
  }

  private ServerHttpResponse send(String method, Map<String, String> headers, String body) {
    Map<String, String> all = new HashMap<>(headers);
    all.put("Authorization", "Bearer " + token);
    ServerHttpResponse response = client.send(method, RULES_PATH, all, body);
    if (response.status() == 200) {
      return response;
    }
    String help =
        switch (response.status()) {
          case 401 -> "; use --token or set WEIR_ADMIN_TOKEN";
          case 404 -> "; use --server with the admin port, such as http://127.0.0.1:9090";
          case 413 -> "; change them in the database: use --rules jdbc:…";
          default -> "";
        };
    throw new CommandException(client.address() + " responded with " + response.errorText() + help);
  }
}
