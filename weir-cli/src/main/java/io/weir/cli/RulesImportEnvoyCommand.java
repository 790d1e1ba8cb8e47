package io.weir.cli;

import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.envoy.EnvoyRules;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir rules import-envoy}: converts envoyproxy/ratelimit configurations to rules. */
@Command(
    name = "import-envoy",
    description = {
      "Converts envoyproxy/ratelimit configurations to rules, on standard output.",
      "",
      "The rules limit the same Envoy calls (docs/guide/envoy.md). What rules cannot express is",
      "reported as file:line:column: descriptor: field: reason, and nothing is written."
    },
    footer = {"  weir rules import-envoy ratelimit.yaml > rules.yaml"},
    exitCodeList = {"0:rules written", "1:error, or not expressible as rules"})
final class RulesImportEnvoyCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Configuration files, one domain each; files of one domain are merged; - reads standard input.")
  List<Path> files = List.of();

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    List<EnvoyRules.EnvoySource> sources = new ArrayList<>();
    for (Path path : files) {
      RulesFileArgument file = new RulesFileArgument(path);
      sources.add(new EnvoyRules.EnvoySource(file.name(), file.readBytes()));
    }
    List<Rule> rules = EnvoyRules.read(sources);
    try {
      var unused = RuleSet.of(1, rules);
    } catch (RuleException e) {
      throw new CommandException(
          "two domains produce the rule " + e.rule() + "; rename one of the domains", e);
    }
    spec.commandLine().getOut().print(Rules.toYaml(rules));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
