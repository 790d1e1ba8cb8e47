package io.weir.cli;

import io.weir.admin.TemporaryBan;
import io.weir.cli.repository.RuleRepository;
import io.weir.internal.store.nodes.OvershootBound;
import io.weir.rule.Consistency;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.rules.Rules;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

/** {@code weir rules list}: lists the rules of a database, a file or a server. */
@Command(
    name = "list",
    sortOptions = false,
    description = "Lists rules as a table, or as YAML or JSON that can be applied again.",
    footer = {
      "  weir rules list",
      "  weir rules list --rules jdbc:postgresql://db/weir?user=weir --yaml > rules.yaml"
    },
    exitCodeList = {"0:success", "1:error"})
final class RulesListCommand implements Callable<Integer> {
  @ArgGroup RulesListFormat format = new RulesListFormat();

  @Mixin RuleRepositoryOptions repositoryOptions = new RuleRepositoryOptions();

  @Spec CommandSpec spec;

  private final Map<String, String> environment;

  RulesListCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  /** The output format, if not a table. */
  static final class RulesListFormat {
    @Option(names = "--yaml", description = "Prints YAML, as read by weir rules apply.")
    boolean yaml;

    @Option(names = "--json", description = "Prints JSON of the same structure.")
    boolean json;
  }

  @Override
  public Integer call() {
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    try (RuleRepository home = repositoryOptions.open(environment, false)) {
      RuleRepository.StoredRules content = home.content();
      if (format.yaml || format.json) {
        List<Rule> rules = content.rules();
        output.println((format.yaml ? Rules.toYaml(rules) : Rules.toJson(rules)).stripTrailing());
        return 0;
      }
      if (!content.entries().isEmpty()) {
        output.printTable(toTable(content.entries()));
      }
      String count = TerminalText.countOf(content.entries().size(), "rule");
      output.println(home.name() + content.revisionSuffix() + ": " + count);
      return 0;
    }
  }

  private static TextTable toTable(List<RuleRepository.StoredRule> storedRules) {
    TextTable table =
        new TextTable(
            "id",
            "limit",
            "algorithm",
            "per",
            "match",
            "consistency",
            "overshoot",
            "fallback",
            "shadow",
            "enabled",
            "revision");
    for (RuleRepository.StoredRule stored : storedRules) {
      Rule rule = stored.rule();
      table.addRow(
          rule.id(),
          limit(rule),
          rule.algorithm(),
          String.join(", ", rule.per()),
          match(rule),
          consistency(rule.consistency()),
          overshoot(rule),
          fallback(rule.fallback()),
          rule.shadow() ? "shadow" : "-",
          rule.enabled() ? "yes" : "no",
          stored.revision() == 0 ? "-" : stored.revision());
    }
    return table;
  }

  private static String limit(Rule rule) {
    return TemporaryBan.isBan(rule)
        ? "banned until " + Instant.EPOCH.plus(TemporaryBan.endMicros(rule), ChronoUnit.MICROS)
        : rule.rates().stream().map(Rate::toString).collect(Collectors.joining(", "));
  }

  private static String match(Rule rule) {
    return rule.match().patterns().entrySet().stream()
        .map(e -> e.getKey() + "=" + String.join("|", e.getValue()))
        .collect(Collectors.joining(" "));
  }

  private static String consistency(Consistency consistency) {
    String kind = lowerCaseName(consistency.mode());
    return consistency.syncInterval().isZero()
        ? kind
        : kind + " " + TerminalText.formatMillis(consistency.syncInterval().toMillis());
  }

  /** By how much all nodes together may exceed a limit, as a formula of the number of nodes. */
  private static String overshoot(Rule rule) {
    long perNode = OvershootBound.of(rule, 2);
    return perNode == 0 ? "0" : "(nodes - 1) x " + perNode;
  }

  private static String fallback(StoreFailureFallback posture) {
    String answer = lowerCaseName(posture.action());
    return posture.percent() == 0 ? answer : answer + " " + posture.percent() + "%";
  }

  private static String lowerCaseName(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
