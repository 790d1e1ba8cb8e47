package io.weir.cli;

import io.weir.cli.repository.RuleRepository;
import io.weir.rule.Rule;
import io.weir.rules.RulesDiff;
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
      "Prints the changes. Rules that are not in the file are kept, unless --prune is given. If a rule",
      "was changed concurrently, nothing is applied. Counters are not reset."
    },
    footer = {
      "  weir rules apply rules.yaml --dry-run",
      "  weir rules apply rules.yaml --prune --rules jdbc:postgresql://db/weir?user=weir",
      "  WEIR_ADMIN_TOKEN=… weir rules apply rules.yaml --server http://127.0.0.1:9090"
    },
    exitCodeList = {"0:applied, or nothing to change", "1:error or invalid file"})
final class RulesApplyCommand implements Callable<Integer> {
  private static final int LARGE_CHANGE_SIZE = 500;

  @Parameters(paramLabel = "FILE", description = RulesFileArgument.DESCRIPTION)
  Path path = Path.of("-");

  @Option(names = "--dry-run", description = "Prints the changes without applying them.")
  boolean dryRun;

  @Option(names = "--prune", description = "Removes rules that are not in the file.")
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
    try (RuleRepository home = repositoryOptions.open(environment, !dryRun)) {
      RuleRepository.StoredRules content = home.content();
      List<Rule> rules = prune ? wanted : merged(content.rules(), wanted);
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
      printKeptRules(output, content.rules(), wanted);
      return 0;
    }
  }

  /** Returns the existing rules, replaced where the file has them, followed by the new ones. */
  private static List<Rule> merged(List<Rule> existing, List<Rule> wanted) {
    Map<String, Rule> all = new LinkedHashMap<>();
    existing.forEach(rule -> all.put(rule.id(), rule));
    wanted.forEach(rule -> all.put(rule.id(), rule));
    return new ArrayList<>(all.values());
  }

  private void printKeptRules(TerminalOutput output, List<Rule> existing, List<Rule> wanted) {
    Set<String> named = wanted.stream().map(Rule::id).collect(Collectors.toSet());
    long kept = existing.stream().filter(rule -> !named.contains(rule.id())).count();
    if (!prune && kept > 0) {
      output.println(
          TerminalText.countOf(kept, "rule") + " not in the file: kept; --prune removes them");
    }
  }
}
