package io.weir.server.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.cli.ServerHttpClient.ServerHttpResponse;
import io.weir.server.home.RuleRepository;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rules as a running server has them, read and changed through its admin door. */
record RemoteRuleRepository(ServerHttpClient client, String token) implements RuleRepository {
  private static final String RULES_PATH = "/admin/rules";

  @Override
  public String name() {
    return client.address();
  }

  @Override
  public StoredRules content() {
    ServerHttpResponse answer = send("GET", Map.of(), "");
    try {
      JsonObject all = new JsonObject(answer.body());
      JsonArray rules = all.getJsonArray("rules");
      JsonObject revisions = all.getJsonObject("revisions", new JsonObject());
      JsonObject refused = all.getJsonObject("refused", new JsonObject());
      List<Rule> read = Rules.read(client.address(), new JsonObject().put("rules", rules).encode());
      Map<String, String> wrong = new TreeMap<>();
      refused.forEach(rule -> wrong.put(rule.getKey(), String.valueOf(rule.getValue())));
      return new StoredRules(
          all.getLong("revision"),
          read.stream().map(r -> new StoredRule(r, revisions.getLong(r.id(), 0L))).toList(),
          wrong);
    } catch (DecodeException
        | ClassCastException
        | NullPointerException
        | InvalidConfigurationException e) {
      throw new CommandException(
          client.address() + " is no admin door of Weir; write --server with its admin port", e);
    }
  }

  @Override
  public long replace(List<Rule> rules, String who, long expectedRevision) {
    ServerHttpResponse answer =
        send(
            "PUT",
            Map.of("If-Match", "\"" + expectedRevision + "\"", "X-Weir-User", who),
            Rules.toJson(rules));
    return new JsonObject(answer.body()).getLong("revision", 0L);
  }

  private ServerHttpResponse send(String method, Map<String, String> headers, String body) {
    Map<String, String> all = new HashMap<>(headers);
    all.put("Authorization", "Bearer " + token);
    ServerHttpResponse answer = client.send(method, RULES_PATH, all, body);
    if (answer.status() == 200) {
      return answer;
    }
    String help =
        switch (answer.status()) {
          case 401 -> "; write --token, or set WEIR_ADMIN_TOKEN";
          case 404 -> "; write --server with its admin port, such as http://127.0.0.1:9090";
          case 413 -> "; change them where they live: write --rules jdbc:…";
          default -> "";
        };
    throw new CommandException(client.address() + " answered " + answer.errorText() + help);
  }
}
