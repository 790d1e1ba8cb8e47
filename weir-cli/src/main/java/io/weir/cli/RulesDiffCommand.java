package io.weir.cli;

import io.weir.cli.repository.RuleRepository;
import io.weir.rule.Rule;
import io.weir.rules.RulesDiff;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir rules diff}: prints the changes that applying a file of rules would make. */
@Command(
    name = "diff",
    sortOptions = false,
    description = {
      "Shows the differences between a file of rules and a database or a server.",
      "",
      "+ would be added, - is not in the file (apply --prune would remove it), ~ would be changed,",
      "field by field. The order of rules is ignored."
    },
    footer = {
      "  weir rules diff rules.yaml",
      "  weir rules diff rules.yaml --rules jdbc:postgresql://db/weir?user=weir",
      "  weir rules diff new.yaml --rules file:old.yaml"
    },
    exitCodeList = {"0:equal", "1:error or invalid file", "2:different"})
final class RulesDiffCommand implements Callable<Integer> {
  static final int EXIT_DIFFERENT = 2;

  @Parameters(paramLabel = "FILE", description = RulesFileArgument.DESCRIPTION)
  Path path = Path.of("-");

  @Mixin RuleRepositoryOptions repositoryOptions = new RuleRepositoryOptions();

  @Spec CommandSpec spec;

  private final Map<String, String> environment;

  RulesDiffCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    RulesFileArgument file = new RulesFileArgument(path);
    List<Rule> wanted = file.read();
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    try (RuleRepository home = repositoryOptions.open(environment, false)) {
      RuleRepository.StoredRules content = home.content();
      RulesDiff diff = RulesDiff.between(content.rules(), wanted);
      if (!diff.isEmpty()) {
        output.println("--- " + home.name() + content.revisionSuffix());
        output.println("+++ " + file.name());
        new RulesDiffPrinter(output).print(diff);
      }
      output.println(RulesDiffPrinter.summary(diff));
      return diff.isEmpty() ? 0 : EXIT_DIFFERENT;
    }
  }
}
