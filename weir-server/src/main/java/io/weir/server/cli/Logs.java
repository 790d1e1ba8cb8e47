package io.weir.server.cli;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** How this process logs: one line each, to the error output, the libraries' warnings only. */
final class Logs {
  private static final String FORMAT = "%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s: %5$s%6$s%n";

  private Logs() {}

  static void set() {
    if (System.getProperty("java.util.logging.config.file") != null) {
      return; // people who bring their own know what they want
    }
    System.setProperty("java.util.logging.SimpleFormatter.format", FORMAT);
    Logger root = Logger.getLogger("");
    root.setLevel(Level.WARNING);
    for (Handler handler : root.getHandlers()) {
      handler.setLevel(Level.ALL);
    }
    Logger.getLogger("io.weir").setLevel(Level.INFO);
  }
}
