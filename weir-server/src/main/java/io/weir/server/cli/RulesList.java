package io.weir.server.cli;

import io.weir.rule.Consistency;
import io.weir.rule.Posture;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.server.home.RuleHome;
import io.weir.store.nodes.Overshoot;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the rules of a database, a file or a server. */
@Command(
    name = "list",
    sortOptions = false,
    description = "Lists rules, as a table or as text that can be applied again.",
    footer = {
      "  weir rules list",
      "  weir rules list --rules jdbc:postgresql://db/weir?user=weir --yaml > rules.yaml"
    },
    exitCodeList = {"0:listed", "1:error"})
final class RulesList implements Callable<Integer> {
  @ArgGroup Form form = new Form();

  @Mixin HomeOptions at = new HomeOptions();

  @Spec CommandSpec spec;

  private final Map<String, String> environment;

  RulesList(Map<String, String> environment) {
    this.environment = environment;
  }

  /** How they are printed, if not as a table. */
  static final class Form {
    @Option(names = "--yaml", description = "Prints them as YAML, as weir rules apply reads it.")
    boolean yaml;

    @Option(names = "--json", description = "Prints them as JSON of the same shape.")
    boolean json;
  }

  @Override
  public Integer call() {
    Screen screen = Screen.of(spec.commandLine());
    try (RuleHome home = at.open(environment, false)) {
      RuleHome.Content content = home.content();
      if (form.yaml || form.json) {
        List<Rule> rules = content.rules();
        screen.line((form.yaml ? Rules.toYaml(rules) : Rules.toJson(rules)).stripTrailing());
        return 0;
      }
      if (!content.kept().isEmpty()) {
        screen.table(table(content.kept()));
      }
      String count = Words.count(content.kept().size(), "rule");
      screen.line(home.name() + content.shownRevision() + ": " + count);
      return 0;
    }
  }

  private static Table table(List<RuleHome.Kept> kept) {
    Table table =
        new Table(
            "id",
            "limit",
            "algorithm",
            "per",
            "match",
            "consistency",
            "too many",
            "posture",
            "shadow",
            "enabled",
            "revision");
    for (RuleHome.Kept one : kept) {
      Rule rule = one.rule();
      table.row(
          rule.id(),
          rule.rates().stream().map(Rate::toString).collect(Collectors.joining(", ")),
          rule.algorithm().name(),
          String.join(", ", rule.per()),
          match(rule),
          consistency(rule.consistency()),
          tooMany(rule),
          posture(rule.posture()),
          rule.shadow() ? "shadow" : "-",
          rule.enabled() ? "yes" : "no",
          one.revision() == 0 ? "-" : one.revision());
    }
    return table;
  }

  private static String match(Rule rule) {
    return rule.match().patterns().entrySet().stream()
        .map(e -> e.getKey() + "=" + String.join("|", e.getValue()))
        .collect(Collectors.joining(" "));
  }

  private static String consistency(Consistency consistency) {
    String kind = word(consistency.kind());
    return consistency.syncEvery().isZero()
        ? kind
        : kind + " " + Words.time(consistency.syncEvery().toMillis());
  }

  /** By how much nodes together may overrun a counter, for any number of them. */
  private static String tooMany(Rule rule) {
    long each = Overshoot.of(rule, 2);
    return each == 0 ? "0" : "(nodes - 1) x " + each;
  }

  private static String posture(Posture posture) {
    String answer = word(posture.answer());
    return posture.percent() == 0 ? answer : answer + " " + posture.percent() + "%";
  }

  private static String word(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }
}
