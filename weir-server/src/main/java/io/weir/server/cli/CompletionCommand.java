package io.weir.server.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints what a shell needs to complete commands and flags. */
@Command(
    name = "completion",
    description = "Prints a script that makes bash and zsh complete commands and flags.",
    footer = {
      "  source <(weir completion)                       for this shell",
      "  weir completion > ~/.local/share/bash-completion/completions/weir"
    },
    exitCodeList = "0:printed")
final class CompletionCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(AutoComplete.bash("weir", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
