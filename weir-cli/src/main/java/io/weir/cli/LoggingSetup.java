package io.weir.cli;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Configures the logging of this process: one line per record, to standard error. */
final class LoggingSetup {
  private static final String LINE_FORMAT = "%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s: %5$s%6$s%n";

  private LoggingSetup() {}

  /**
   * Sets the levels for the rest of the process.
   *
   * @param weirLevel the level of Weir's loggers; libraries log warnings, or nothing if this is
   *     {@code OFF}, which is for short commands that print their errors themselves
   */
  static void configure(Level weirLevel) {
    if (System.getProperty("java.util.logging.config.file") != null) {
      return; // the user has configured logging
    }
    System.setProperty("java.util.logging.SimpleFormatter.format", LINE_FORMAT);
    Logger root = Logger.getLogger("");
    root.setLevel(weirLevel.equals(Level.OFF) ? Level.OFF : Level.WARNING);
    for (Handler handler : root.getHandlers()) {
      handler.setLevel(Level.ALL);
    }
    Logger.getLogger("io.weir").setLevel(weirLevel);
  }
}
