package io.weir.cli;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A file of rules given on the command line; {@code -} is standard input. */
record RulesFileArgument(Path path) {

  static final String DESCRIPTION = "File of rules; - reads standard input.";

  String name() {
    return isStandardInput() ? "standard input" : path.toString();
  }

  /** Reads the rules; throws an exception with all problems of the file. */
  List<Rule> read() {
    return isStandardInput() ? Rules.read(name(), readBytes()) : Rules.read(path);
  }

  /** Reads the content of the file. */
  byte[] readBytes() {
    try (InputStream in = open()) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Opens the file, to read it in parts. */
  InputStream open() {
    try {
      return isStandardInput() ? System.in : Files.newInputStream(path);
    } catch (NoSuchFileException e) {
      throw new CommandException(name() + " does not exist; use the path of an existing file", e);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private CommandException unreadable(IOException e) {
    return new CommandException(
        name() + " cannot be read (" + e + "); use the path of a readable file", e);
  }

  private boolean isStandardInput() {
    return path.toString().equals("-");
  }
}
