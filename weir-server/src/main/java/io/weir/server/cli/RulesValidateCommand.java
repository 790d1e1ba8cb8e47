package io.weir.server.cli;

import io.weir.rule.Rule;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.doctor.RuleLint;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says whether files of rules can be, and what is wrong with them. */
@Command(
    name = "validate",
    description = {
      "Says whether a file of rules can be; asks no server.",
      "",
      "Everything that is wrong is told at once, on the error output. What can be but is hardly",
      "meant, such as an override that never applies, is a warning."
    },
    footer = {"  weir rules validate rules.yaml", "  helm template . | weir rules validate -"},
    exitCodeList = {"0:every file is good, perhaps with warnings", "1:something is wrong"})
final class RulesValidateCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", arity = "1..*", description = RulesFileArgument.DESCRIPTION)
  List<Path> files = List.of();

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    TerminalOutput screen = TerminalOutput.of(spec.commandLine());
    int code = 0;
    for (Path path : files) {
      RulesFileArgument file = new RulesFileArgument(path);
      try {
        List<Rule> rules = file.read();
        for (RuleLint.LintWarning doubt : RuleLint.check(rules)) {
          screen.println(file.name() + ": " + screen.warning("warning") + ": " + doubt);
        }
        String count = TerminalText.countOf(rules.size(), "rule");
        screen.println(file.name() + ": " + count + ", " + screen.success("good"));
      } catch (InvalidConfigurationException e) {
        spec.commandLine().getErr().println(e.getMessage());
        code = Main.EXIT_ERROR;
      }
    }
    return code;
  }
}
