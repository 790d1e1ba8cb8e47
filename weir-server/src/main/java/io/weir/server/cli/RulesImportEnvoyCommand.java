package io.weir.server.cli;

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

/** Turns the rules of envoyproxy/ratelimit into rules of Weir. */
@Command(
    name = "import-envoy",
    description = {
      "Turns configurations of envoyproxy/ratelimit into rules, on the standard output.",
      "",
      "They limit the same calls of Envoy's alike (docs/envoy.md). What no rule can say is told",
      "as file:line:column: descriptor: field: reason, and nothing is written."
    },
    footer = {"  weir rules import-envoy ratelimit.yaml > rules.yaml"},
    exitCodeList = {"0:the rules are written", "1:something is wrong, or cannot be said"})
final class RulesImportEnvoyCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "The configurations, one domain each; files of one domain are merged; - reads the standard input.")
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
          "two domains make the rule " + e.rule() + "; rename one of the domains", e);
    }
    spec.commandLine().getOut().print(Rules.toYaml(rules));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
