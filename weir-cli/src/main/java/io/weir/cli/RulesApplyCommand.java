package io.weir.cli;

import io.weir.admin.TemporaryBan;
import io.weir.cli.repository.RuleRepository;
import io.weir.rule.Rule;
import io.weir.rules.RulesDiff;
import io.weir.rules.lint.RuleLint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir rules apply}: applies a file of rules to a database or a server. */
@Command(
    name = "apply",
    sortOptions = false,
    description = {
      "Applies a file of rules to a database or a server, all of them or none.",
      "",
      "Prints the changes. Rules that are not in the file are kept and named, unless --prune is given,",
      "which removes them, but never a temporary ban. If a rule was changed concurrently, nothing is",
      "applied. Counters are not reset."
    },
    footer = {
      "  weir rules apply rules.yaml --dry-run",
      "  weir rules apply rules.yaml --prune --rules jdbc:postgresql://db/weir?user=weir",
      "  WEIR_ADMIN_TOKEN=… weir rules apply rules.yaml --server http://127.0.0.1:9090"
    },
    exitCodeList = {"0:applied, or nothing to change", "1:error or invalid file"})
final class RulesApplyCommand implements Callable<Integer> {
  private static final int LARGE_CHANGE_SIZE = 500;
  private static final int MAX_NAMES = 20;

  @Parameters(paramLabel = "FILE", description = RulesFileArgument.DESCRIPTION)
  Path path = Path.of("-");

  @Option(names = "--dry-run", description = "Prints the changes without applying them.")
  boolean dryRun;

  @Option(
      names = "--prune",
      description = "Removes rules that are not in the file, except temporary bans.")
  boolean prune;

  @Option(
      names = "--who",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "Author recorded in the history (your user name).")
  String who = "";

  @Mixin RuleRepositoryOptions repositoryOptions = new RuleRepositoryOptions();

  @Spec CommandSpec spec;

  private final Map<String, String> environment;

  RulesApplyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    List<Rule> wanted = new RulesFileArgument(path).read();
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    for (RuleLint.LintWarning warning : RuleLint.check(wanted)) {
      output.println(output.warning("warning") + ": " + warning);
    }
    try (RuleRepository home = repositoryOptions.open(environment, !dryRun)) {
      RuleRepository.StoredRules content = home.content();
      List<Rule> unnamed = notIn(wanted, content.rules());
      List<Rule> kept = prune ? unnamed.stream().filter(TemporaryBan::isBan).toList() : unnamed;
      List<Rule> rules = merged(content.rules(), kept, wanted);
      RulesDiff diff = RulesDiff.between(content.rules(), rules);
      new RulesDiffPrinter(output).print(diff);
      String summary = home.name() + ": " + RulesDiffPrinter.summary(diff);
      if (dryRun) {
        output.println(summary + ", nothing applied");
      } else if (diff.isEmpty() && content.rejected().isEmpty()) {
        output.println(summary + ", nothing to change");
      } else {
        if (diff.changedRules().size() >= LARGE_CHANGE_SIZE) {
          output.println("changing " + diff.changedRules().size() + " rules in one step …");
        }
        long revision = home.replace(rules, who, content.revision());
        output.println(summary + ", applied as revision " + revision);
      }
      printUnnamedRules(output, unnamed);
      return 0;
    }
  }

  /** Returns the existing rules that the file does not have. */
  private static List<Rule> notIn(List<Rule> wanted, List<Rule> existing) {
    Set<String> named = wanted.stream().map(Rule::id).collect(Collectors.toSet());
    return existing.stream().filter(rule -> !named.contains(rule.id())).toList();
  }

  /**
   * Returns the existing rules that are kept or that the file has, in their order and as the file
   * has them, followed by the new ones; with {@code --prune}, in the order of the file.
   */
  private List<Rule> merged(List<Rule> existing, List<Rule> kept, List<Rule> wanted) {
    Map<String, Rule> all = new LinkedHashMap<>();
    (prune ? wanted : existing).forEach(rule -> all.put(rule.id(), rule));
    kept.forEach(rule -> all.put(rule.id(), rule));
    wanted.forEach(rule -> all.put(rule.id(), rule));
    return new ArrayList<>(all.values());
  }

  /** Says what happens to the rules that exist and are not in the file. */
  private void printUnnamedRules(TerminalOutput output, List<Rule> unnamed) {
    List<Rule> bans = unnamed.stream().filter(TemporaryBan::isBan).toList();
    List<Rule> others = unnamed.stream().filter(rule -> !TemporaryBan.isBan(rule)).toList();
    if (!others.isEmpty()) {
      String removed = dryRun ? "would be removed by --prune" : "removed by --prune";
      output.println(
          "%s not in the file, %s: %s"
              .formatted(
                  TerminalText.countOf(others.size(), "rule"),
                  prune ? removed : "kept (--prune removes them)",
                  names(others)));
    }
    if (!bans.isEmpty()) {
      output.println(
          TerminalText.countOf(bans.size(), "temporary ban") + " kept: they end by themselves");
    }
  }

  private static String names(List<Rule> rules) {
    String names = rules.stream().limit(MAX_NAMES).map(Rule::id).collect(Collectors.joining(", "));
    int more = rules.size() - MAX_NAMES;
    return more > 0 ? names + " and " + more + " more" : names;
  }
}
