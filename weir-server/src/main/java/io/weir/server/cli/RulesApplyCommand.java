package io.weir.server.cli;

import io.weir.rule.Rule;
import io.weir.rules.RulesDiff;
import io.weir.server.home.RuleRepository;
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

/** Makes the rules of a database or a server those of a file. */
@Command(
    name = "apply",
    sortOptions = false,
    description = {
      "Makes the rules of a database or a server those of a file, all of them or none.",
      "",
      "Shows what changes. Rules that the file lacks stay, unless --prune is given. If somebody else",
      "changed a rule meanwhile, nothing is changed. Counters stay as they are."
    },
    footer = {
      "  weir rules apply rules.yaml --dry-run",
      "  weir rules apply rules.yaml --prune --rules jdbc:postgresql://db/weir?user=weir",
      "  WEIR_ADMIN_TOKEN=… weir rules apply rules.yaml --server http://127.0.0.1:9090"
    },
    exitCodeList = {"0:applied, or nothing to change", "1:error, or a file that is wrong"})
final class RulesApplyCommand implements Callable<Integer> {
  private static final int LARGE_CHANGE_SIZE = 500;

  @Parameters(paramLabel = "FILE", description = RulesFileArgument.DESCRIPTION)
  Path path = Path.of("-");

  @Option(names = "--dry-run", description = "Shows what would change, and changes nothing.")
  boolean dryRun;

  @Option(names = "--prune", description = "Removes the rules that the file lacks.")
  boolean prune;

  @Option(
      names = "--who",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "Whom the history names for it (your user name).")
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
    TerminalOutput screen = TerminalOutput.of(spec.commandLine());
    try (RuleRepository home = repositoryOptions.open(environment, !dryRun)) {
      RuleRepository.StoredRules content = home.content();
      List<Rule> rules = prune ? wanted : merged(content.rules(), wanted);
      RulesDiff diff = RulesDiff.between(content.rules(), rules);
      new RulesDiffPrinter(screen).print(diff);
      String summary = home.name() + ": " + RulesDiffPrinter.summary(diff);
      if (dryRun) {
        screen.println(summary + ", nothing applied");
      } else if (diff.isEmpty() && content.rejected().isEmpty()) {
        screen.println(summary + ", nothing to change");
      } else {
        if (diff.changedRules().size() >= LARGE_CHANGE_SIZE) {
          screen.println("changing " + diff.changedRules().size() + " rules in one step …");
        }
        long revision = home.replace(rules, who, content.revision());
        screen.println(summary + ", applied as revision " + revision);
      }
      printKeptRules(screen, content.rules(), wanted);
      return 0;
    }
  }

  /** Those there are, as the others say where they do, and then those that are new. */
  private static List<Rule> merged(List<Rule> there, List<Rule> wanted) {
    Map<String, Rule> all = new LinkedHashMap<>();
    there.forEach(rule -> all.put(rule.id(), rule));
    wanted.forEach(rule -> all.put(rule.id(), rule));
    return new ArrayList<>(all.values());
  }

  private void printKeptRules(TerminalOutput screen, List<Rule> there, List<Rule> wanted) {
    Set<String> named = wanted.stream().map(Rule::id).collect(Collectors.toSet());
    long kept = there.stream().filter(rule -> !named.contains(rule.id())).count();
    if (!prune && kept > 0) {
      screen.println(
          TerminalText.countOf(kept, "rule") + " not in the file: kept; --prune removes them");
    }
  }
}
