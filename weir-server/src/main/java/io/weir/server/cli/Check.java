package io.weir.server.cli;

import io.weir.Request;
import io.weir.http.Json;
import io.weir.http.Refusal;
import io.weir.server.cli.ServerCalls.Answer;
import io.weir.server.cli.Verdict.Row;
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
final class Check implements Callable<Integer> {
  static final int REFUSED = 2;

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

  @Mixin ServerOptions to = new ServerOptions();

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    ServerCalls server = to.calls();
    Answer answer = server.send("POST", peek ? "/v1/peek" : "/v1/check", Map.of(), body(request()));
    if (answer.status() != 200 && answer.status() != Refusal.STATUS) {
      throw new CommandException(server.address() + " answered " + answer.complaint());
    }
    Verdict verdict;
    try {
      verdict = Verdict.read(answer.body());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          server.address() + " is no decision API of Weir; write --server URL", e);
    }
    Screen screen = Screen.of(spec.commandLine());
    if (json) {
      screen.line(answer.body());
    } else {
      tell(verdict, screen);
    }
    return verdict.allowed() ? 0 : REFUSED;
  }

  private Request request() {
    List<String> pairs = new ArrayList<>();
    for (String attribute : attributes) {
      int equals = attribute.indexOf('=');
      if (equals < 1) {
        throw new CommandException(
            "'" + Words.line(attribute) + "' is no attribute; write name=value, such as user=42");
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

  private static String body(Request request) {
    String pairs =
        request.attributes().entrySet().stream()
            .map(e -> quote(e.getKey()) + ":" + quote(e.getValue()))
            .collect(Collectors.joining(","));
    return "{\"attributes\":{" + pairs + "},\"cost\":" + request.cost() + "}";
  }

  private static String quote(String text) {
    return Json.quote(new StringBuilder(), text).toString();
  }

  private void tell(Verdict verdict, Screen screen) {
    String word = verdict.allowed() ? screen.good("allowed") : screen.bad("refused");
    screen.line(word + verdict.bound().map(row -> why(verdict, row)).orElse(", no rule enforced"));
    if (verdict.delay() > 0) {
      screen.line("hold it for " + Words.time(verdict.delay()) + " before it goes on");
    }
    if (verdict.degraded()) {
      screen.line(
          screen.doubtful("degraded")
              + ": the store did not answer in time, the rules' fallbacks did");
    }
    if (!verdict.rules().isEmpty()) {
      screen.line("");
      Table table = new Table("rule", "says", "limit", "remaining", "reset", "retry after");
      verdict.rules().forEach(row -> table.row(cells(row)));
      screen.table(table);
    }
  }

  private String why(Verdict verdict, Row row) {
    String by = " by " + row.id();
    if (verdict.never()) {
      return by + ": a cost of " + cost + " can never fit its " + row.limit();
    }
    String left = by + ": " + remaining(row) + " of " + row.limit() + " left";
    return verdict.allowed() ? left : left + ", retry after " + Words.time(verdict.retryAfter());
  }

  private static Object remaining(Row row) {
    return row.remaining().isPresent() ? (Object) row.remaining().getAsLong() : "unknown";
  }

  private static Object[] cells(Row row) {
    String says = row.allowed() ? "allowed" : row.shadow() ? "would be refused" : "refused";
    return new Object[] {
      row.id(),
      row.shadow() ? says + " (shadow)" : says,
      row.limit(),
      remaining(row),
      Words.time(row.reset()),
      row.retryAfter() == 0 ? "-" : Words.time(row.retryAfter())
    };
  }
}
