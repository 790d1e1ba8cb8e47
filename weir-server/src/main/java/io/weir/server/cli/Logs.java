package io.weir.server.cli;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** How this process logs: one line each, to the error output. */
final class Logs {
  private static final String FORMAT = "%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s: %5$s%6$s%n";

  private Logs() {}

  /**
   * Sets it for the rest of the process.
   *
   * @param heard whether anything is logged: the libraries' warnings, and what Weir says. Commands
   *     that end soon tell what matters themselves.
   */
  static void set(boolean heard) {
    if (System.getProperty("java.util.logging.config.file") != null) {
      return; // people who bring their own know what they want
    }
    System.setProperty("java.util.logging.SimpleFormatter.format", FORMAT);
    Logger root = Logger.getLogger("");
    root.setLevel(heard ? Level.WARNING : Level.OFF);
    for (Handler handler : root.getHandlers()) {
      handler.setLevel(Level.ALL);
    }
    Logger.getLogger("io.weir").setLevel(heard ? Level.INFO : Level.OFF);
  }
}
