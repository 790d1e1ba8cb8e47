package io.weir.cli;

import io.weir.Request;
import io.weir.cli.CheckResult.RuleCheckResult;
import io.weir.cli.ServerHttpClient.ServerHttpResponse;
import io.weir.http.RefusalResponse;
import io.weir.internal.JsonObjectBuilder;
import io.weir.internal.rule.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir check}: requests one decision from a running server and prints it. */
@Command(
    name = "check",
    sortOptions = false,
    description = {
      "Requests one decision from a running server, and charges it if it is allowed.",
      "",
      "The attributes are the ones that rules use in match and per."
    },
    footer = {
      "  weir check user=42 endpoint=\"GET /v1/orders\"",
      "  weir check user=42 --cost 5 --peek        decides without charging",
      "  weir check ip=10.0.0.1 --server https://weir.internal:8080 --ca ca.pem"
    },
    exitCodeList = {"0:allowed", "1:error, such as an unreachable server", "2:refused"})
final class CheckCommand implements Callable<Integer> {
  static final int EXIT_REFUSED = 2;

  @Parameters(
      paramLabel = "NAME=VALUE",
      arity = "0..*",
      description = "The attributes of the request, such as user=42.")
  List<String> attributes = new ArrayList<>();

  @Option(
      names = "--cost",
      paramLabel = "N",
      defaultValue = "1",
      description = "Cost of the request in permits (${DEFAULT-VALUE}).")
  long cost = 1;

  @Option(names = "--peek", description = "Decides without charging.")
  boolean peek;

  @Option(names = "--json", description = "Prints the server's JSON response unchanged.")
  boolean json;

  @Mixin ServerUrlOptions serverOptions = new ServerUrlOptions();

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    ServerHttpClient server = serverOptions.client();
    ServerHttpResponse response =
        server.send("POST", peek ? "/v1/peek" : "/v1/check", Map.of(), toJson(parseRequest()));
    boolean blocked = response.status() == RefusalResponse.FORBIDDEN;
    boolean unavailable = response.status() == RefusalResponse.UNAVAILABLE;
    boolean decided = response.status() == 200 || response.status() == RefusalResponse.STATUS;
    if (!decided && !unavailable && !blocked) {
      throw new CommandException(server.address() + " responded with " + response.errorText());
    }
    CheckResult result;
    try {
      result = CheckResult.parse(response.body());
    } catch (IllegalArgumentException e) {
      if (!decided) {
        throw new CommandException(server.address() + " responded with " + response.errorText(), e);
      }
      throw new CommandException(
          server.address() + " is not a Weir decision API; use --server URL", e);
    }
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    if (json) {
      output.println(response.body());
    } else {
      print(result, output);
    }
    return result.allowed() ? 0 : EXIT_REFUSED;
  }

  private Request parseRequest() {
    List<String> pairs = new ArrayList<>();
    for (String attribute : attributes) {
      int equals = attribute.indexOf('=');
      if (equals < 1) {
        throw new CommandException(
            "an attribute must be name=value (was '"
                + TerminalText.sanitize(attribute)
                + "'), for example user=42");
      }
      if (attribute.indexOf('\uFFFD') >= 0) { // Java's replacement for undecodable bytes
        throw new CommandException(
            "'" + attribute + "' cannot be read in this locale; run LC_ALL=C.UTF-8 weir check …");
      }
      pairs.add(attribute.substring(0, equals));
      pairs.add(attribute.substring(equals + 1));
    }
    try {
      return Request.of(pairs.toArray(String[]::new)).cost(cost);
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String toJson(Request request) {
    return new JsonObjectBuilder()
        .textMap("attributes", request.attributes())
        .number("cost", request.cost())
        .build();
  }

  private void print(CheckResult result, TerminalOutput output) {
    String outcome = result.allowed() ? output.success("allowed") : output.error("refused");
    output.println(
        outcome
            + result.bindingRule().map(rule -> explain(result, rule)).orElse(exemption(result)));
    if (result.delayMillis() > 0) {
      output.println("delay the request by " + TerminalText.formatMillis(result.delayMillis()));
    }
    if (result.degraded()) {
      output.println(
          output.warning("degraded")
              + ": the store did not answer in time, so the rules' fallbacks were used");
    }
    if (!result.rules().isEmpty()) {
      output.println("");
      TextTable table =
          new TextTable("rule", "result", "limit", "remaining", "reset", "retry after");
      result.rules().forEach(rule -> table.addRow(tableCells(rule)));
      output.printTable(table);
    }
  }

  private String explain(CheckResult result, RuleCheckResult rule) {
    String by = " by " + rule.id();
    String left = by + ": " + remainingText(rule) + " of " + rule.limit() + " left";
    String wait = ", retry after " + TerminalText.formatMillis(result.retryAfterMillis());
    return result
        .refusalReason()
        .map(
            reason ->
                switch (reason) {
                  case RATE_LIMITED -> left + wait;
                  case COST_EXCEEDS_LIMIT ->
                      by + ": a cost of " + cost + " always exceeds its limit of " + rule.limit();
                  case STORE_UNAVAILABLE ->
                      by + ": it fails closed while the store is unavailable" + wait;
                  case BLOCKED -> by + ": it blocks this request";
                  case MISSING_ATTRIBUTE -> by + ": an attribute that it counts per is missing";
                })
        .orElse(left);
  }

  private static String exemption(CheckResult result) {
    return result.rules().stream()
        .filter(rule -> rule.action().equals(Verdict.ALLOW.code()) && !rule.shadow())
        .findFirst()
        .map(rule -> " by " + rule.id() + ": it allows this request, no other rule applies")
        .orElse(", no rule enforced");
  }

  private static Object remainingText(RuleCheckResult rule) {
    return rule.remaining().isPresent() ? (Object) rule.remaining().getAsLong() : "unknown";
  }

  private static Object[] tableCells(RuleCheckResult rule) {
    String result = rule.allowed() ? "allowed" : rule.shadow() ? "would be refused" : "refused";
    return new Object[] {
      rule.id(),
      rule.shadow() ? result + " (shadow)" : result,
      rule.action().isEmpty() ? rule.limit() : "-",
      rule.action().isEmpty() ? remainingText(rule) : "-",
      TerminalText.formatMillis(rule.resetMillis()),
      rule.retryAfterMillis() == 0 ? "-" : TerminalText.formatMillis(rule.retryAfterMillis())
    };
  }
}
