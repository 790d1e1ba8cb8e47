package io.weir.server.cli;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A file of rules that was named on the command line; {@code -} is the standard input. */
record RulesFile(Path path) {

  static final String HELP = "The file of rules; - reads the standard input.";

  String name() {
    return isInput() ? "standard input" : path.toString();
  }

  /** Its rules; what is wrong with them is thrown, all of it. */
  List<Rule> read() {
    if (!isInput()) {
      return Rules.read(path);
    }
    try {
      return Rules.read(name(), System.in.readAllBytes());
    } catch (IOException e) {
      throw new CommandException("the standard input cannot be read; name a file", e);
    }
  }

  private boolean isInput() {
    return path.toString().equals("-");
  }
}
