package io.weir.server.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.TextException;
import io.weir.server.cli.ServerCalls.Answer;
import io.weir.server.home.RuleHome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rules as a running server has them, read and changed through its admin door. */
record ServerHome(ServerCalls server, String token) implements RuleHome {
  private static final String RULES = "/admin/rules";

  @Override
  public String name() {
    return server.address();
  }

  @Override
  public Content content() {
    Answer answer = ask("GET", Map.of(), "");
    try {
      JsonObject all = new JsonObject(answer.body());
      JsonArray rules = all.getJsonArray("rules");
      JsonObject revisions = all.getJsonObject("revisions", new JsonObject());
      JsonObject refused = all.getJsonObject("refused", new JsonObject());
      List<Rule> read = Rules.read(server.address(), new JsonObject().put("rules", rules).encode());
      Map<String, String> wrong = new TreeMap<>();
      refused.forEach(rule -> wrong.put(rule.getKey(), String.valueOf(rule.getValue())));
      return new Content(
          all.getLong("revision"),
          read.stream().map(r -> new Kept(r, revisions.getLong(r.id(), 0L))).toList(),
          wrong);
    } catch (DecodeException | ClassCastException | NullPointerException | TextException e) {
      throw new CommandException(
          server.address() + " is no admin door of Weir; write --server with its admin port", e);
    }
  }

  @Override
  public long replace(List<Rule> rules, String who, long expectedRevision) {
    Answer answer =
        ask(
            "PUT",
            Map.of("If-Match", "\"" + expectedRevision + "\"", "X-Weir-User", who),
            Rules.toJson(rules));
    return new JsonObject(answer.body()).getLong("revision", 0L);
  }

  private Answer ask(String method, Map<String, String> headers, String body) {
    Map<String, String> all = new HashMap<>(headers);
    all.put("Authorization", "Bearer " + token);
    Answer answer = server.send(method, RULES, all, body);
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
    throw new CommandException(server.address() + " answered " + answer.complaint() + help);
  }
}
