package io.weir.server.cli;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** How this process logs: one line each, to the error output. */
final class LoggingSetup {
  private static final String LINE_FORMAT = "%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s: %5$s%6$s%n";

  private LoggingSetup() {}

  /**
   * Sets it for the rest of the process.
   *
   * @param weir from which level on Weir is heard, and warnings of the libraries too, unless it is
   *     off: commands that end soon tell what matters themselves
   */
  static void configure(Level weir) {
    if (System.getProperty("java.util.logging.config.file") != null) {
      return; // people who bring their own know what they want
    }
    System.setProperty("java.util.logging.SimpleFormatter.format", LINE_FORMAT);
    Logger root = Logger.getLogger("");
    root.setLevel(weir.equals(Level.OFF) ? Level.OFF : Level.WARNING);
    for (Handler handler : root.getHandlers()) {
      handler.setLevel(Level.ALL);
    }
    Logger.getLogger("io.weir").setLevel(weir);
  }
}
