package io.weir.cli;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weir rules}: the group of commands for rules. */
@Command(
    name = "rules",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Reads, compares and changes rules.",
      "",
      "Rules are YAML (docs/guide/rules.md). Problems in a file are printed as",
      "file:line:column: rule: field: reason, one line each."
    },
    footer = {
      "  weir rules validate rules.yaml",
      "  weir rules diff rules.yaml --rules jdbc:postgresql://db/weir?user=weir",
      "  weir rules apply rules.yaml --server http://127.0.0.1:9090 --dry-run",
      "  weir rules import-envoy ratelimit.yaml > rules.yaml"
    },
    exitCodeList = {"0:success", "1:error or invalid file", "2:different (diff)"})
final class RulesCommand {

  private RulesCommand() {}

  static CommandLine commandLine(Map<String, String> environment) {
    return new CommandLine(new RulesCommand())
        .addSubcommand(new RulesValidateCommand())
        .addSubcommand(new RulesDiffCommand(environment))
        .addSubcommand(new RulesApplyCommand(environment))
        .addSubcommand(new RulesListCommand(environment))
        .addSubcommand(new RulesImportEnvoyCommand());
  }
}
