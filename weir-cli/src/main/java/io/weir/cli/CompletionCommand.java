package io.weir.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir completion}: prints a shell script that completes commands and flags. */
@Command(
    name = "completion",
    description = "Prints a bash and zsh completion script for commands and flags.",
    footer = {
      "  source <(weir completion)                       enables it in this shell",
      "  weir completion > ~/.local/share/bash-completion/completions/weir"
    },
    exitCodeList = "0:success")
final class CompletionCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(AutoComplete.bash("weir", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
