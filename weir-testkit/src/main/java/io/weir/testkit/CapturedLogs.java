package io.weir.testkit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Captures the log messages of Weir, and keeps them from the console until it is closed. */
public final class CapturedLogs extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("io.weir");
  private final SimpleFormatter formatter = new SimpleFormatter();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  public CapturedLogs() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  public List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(formatter.formatMessage(line));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.setUseParentHandlers(true);
    logger.removeHandler(this);
  }
}
