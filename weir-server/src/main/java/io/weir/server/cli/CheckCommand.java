package io.weir.server.cli;

import io.weir.Request;
import io.weir.http.JsonText;
import io.weir.http.RefusalResponse;
import io.weir.server.cli.CheckResult.RuleCheckResult;
import io.weir.server.cli.ServerHttpClient.ServerHttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Asks a running server for one decision, and tells it to people. */
@Command(
    name = "check",
    sortOptions = false,
    description = {
      "Asks a running server for one decision, and charges it if it is allowed.",
      "",
      "The attributes are those that rules name in match and per."
    },
    footer = {
      "  weir check user=42 endpoint=\"GET /v1/orders\"",
      "  weir check user=42 --cost 5 --peek        what would be said, charging nothing",
      "  weir check ip=10.0.0.1 --server https://weir.internal:8080 --ca ca.pem"
    },
    exitCodeList = {"0:allowed", "1:error, such as no server there", "2:refused"})
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
      description = "What the request costs (${DEFAULT-VALUE}).")
  long cost = 1;

  @Option(names = "--peek", description = "Asks without charging.")
  boolean peek;

  @Option(names = "--json", description = "Prints the server's answer as it came.")
  boolean json;

  @Mixin ServerUrlOptions serverOptions = new ServerUrlOptions();

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    ServerHttpClient server = serverOptions.client();
    ServerHttpResponse answer =
        server.send("POST", peek ? "/v1/peek" : "/v1/check", Map.of(), toJson(parseRequest()));
    if (answer.status() != 200 && answer.status() != RefusalResponse.STATUS) {
      throw new CommandException(server.address() + " answered " + answer.errorText());
    }
    CheckResult verdict;
    try {
      verdict = CheckResult.parse(answer.body());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          server.address() + " is no decision API of Weir; write --server URL", e);
    }
    TerminalOutput screen = TerminalOutput.of(spec.commandLine());
    if (json) {
      screen.println(answer.body());
    } else {
      print(verdict, screen);
    }
    return verdict.allowed() ? 0 : EXIT_REFUSED;
  }

  private Request parseRequest() {
    List<String> pairs = new ArrayList<>();
    for (String attribute : attributes) {
      int equals = attribute.indexOf('=');
      if (equals < 1) {
        throw new CommandException(
            "'"
                + TerminalText.sanitize(attribute)
                + "' is no attribute; write name=value, such as user=42");
      }
      if (attribute.indexOf('\uFFFD') >= 0) { // what Java makes of bytes it cannot read
        throw new CommandException(
            "'" + attribute + "' cannot be read in this locale; write LC_ALL=C.UTF-8 weir check …");
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
    String pairs =
        request.attributes().entrySet().stream()
            .map(e -> quote(e.getKey()) + ":" + quote(e.getValue()))
            .collect(Collectors.joining(","));
    return "{\"attributes\":{" + pairs + "},\"cost\":" + request.cost() + "}";
  }

  private static String quote(String text) {
    return JsonText.quote(new StringBuilder(), text).toString();
  }

  private void print(CheckResult verdict, TerminalOutput screen) {
    String word = verdict.allowed() ? screen.success("allowed") : screen.error("refused");
    screen.println(
        word
            + verdict.bindingRule().map(row -> explain(verdict, row)).orElse(", no rule enforced"));
    if (verdict.delayMillis() > 0) {
      screen.println(
          "hold it for " + TerminalText.formatMillis(verdict.delayMillis()) + " before it goes on");
    }
    if (verdict.degraded()) {
      screen.println(
          screen.warning("degraded")
              + ": the store did not answer in time, the rules' fallbacks did");
    }
    if (!verdict.rules().isEmpty()) {
      screen.println("");
      TextTable table = new TextTable("rule", "says", "limit", "remaining", "reset", "retry after");
      verdict.rules().forEach(row -> table.addRow(tableCells(row)));
      screen.printTable(table);
    }
  }

  private String explain(CheckResult verdict, RuleCheckResult row) {
    String by = " by " + row.id();
    if (verdict.costExceedsLimit()) {
      return by + ": a cost of " + cost + " can never fit its " + row.limit();
    }
    String left = by + ": " + remainingText(row) + " of " + row.limit() + " left";
    return verdict.allowed()
        ? left
        : left + ", retry after " + TerminalText.formatMillis(verdict.retryAfterMillis());
  }

  private static Object remainingText(RuleCheckResult row) {
    return row.remaining().isPresent() ? (Object) row.remaining().getAsLong() : "unknown";
  }

  private static Object[] tableCells(RuleCheckResult row) {
    String says = row.allowed() ? "allowed" : row.shadow() ? "would be refused" : "refused";
    return new Object[] {
      row.id(),
      row.shadow() ? says + " (shadow)" : says,
      row.limit(),
      remainingText(row),
      TerminalText.formatMillis(row.resetMillis()),
      row.retryAfterMillis() == 0 ? "-" : TerminalText.formatMillis(row.retryAfterMillis())
    };
  }
}
