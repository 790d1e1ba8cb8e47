package io.weir.server.cli;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A file of rules that was named on the command line; {@code -} is the standard input. */
record RulesFileArgument(Path path) {

  static final String DESCRIPTION = "The file of rules; - reads the standard input.";

  String name() {
    return isStandardInput() ? "standard input" : path.toString();
  }

  /** Its rules; what is wrong with them is thrown, all of it. */
  List<Rule> read() {
    return isStandardInput() ? Rules.read(name(), readBytes()) : Rules.read(path);
  }

  /** What it holds. */
  byte[] readBytes() {
    try {
      return isStandardInput() ? System.in.readAllBytes() : Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw new CommandException(name() + " does not exist; name a file", e);
    } catch (IOException e) {
      throw new CommandException(name() + " cannot be read (" + e + "); name a file", e);
    }
  }

  private boolean isStandardInput() {
    return path.toString().equals("-");
  }
}
