package io.weir.cli;

import io.weir.rule.Rule;
import io.weir.rules.lint.RuleLint;
import io.weir.rules.text.InvalidConfigurationException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir rules validate}: validates files of rules and prints their problems. */
@Command(
    name = "validate",
    description = {
      "Validates files of rules; needs no server.",
      "",
      "Prints all problems on standard error. A rule that is valid but hardly intended, such as one",
      "with an override that never applies, is a warning."
    },
    footer = {"  weir rules validate rules.yaml", "  helm template . | weir rules validate -"},
    exitCodeList = {"0:all files are valid, perhaps with warnings", "1:a file is invalid"})
final class RulesValidateCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", arity = "1..*", description = RulesFileArgument.DESCRIPTION)
  List<Path> files = List.of();

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    int code = 0;
    for (Path path : files) {
      RulesFileArgument file = new RulesFileArgument(path);
      try {
        List<Rule> rules = file.read();
        for (RuleLint.LintWarning warning : RuleLint.check(rules)) {
          output.println(file.name() + ": " + output.warning("warning") + ": " + warning);
        }
        String count = TerminalText.countOf(rules.size(), "rule");
        output.println(file.name() + ": " + count + ", " + output.success("valid"));
      } catch (InvalidConfigurationException e) {
        spec.commandLine().getErr().println(e.getMessage());
        code = Main.EXIT_ERROR;
      }
    }
    return code;
  }
}
