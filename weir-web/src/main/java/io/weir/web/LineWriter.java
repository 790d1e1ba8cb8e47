package io.weir.server.refusals;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Writes whole lines without buffering and reports which could not be written. Not thread-safe. */
final class LineWriter implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RefusalLog.class.getName());

  private final OutputStream out;
  private boolean failing;

  LineWriter(OutputStream out) {
    this.out = out;
  }

  /** Opens a writer to {@code stdout} or appending to {@code file:PATH}. */
  static LineWriter open(String target) {
    if (target.equals("stdout")) {
      return new LineWriter(new StdoutStream());
    }
    if (!target.startsWith("file:")) {
      throw new IllegalArgumentException("must be stdout or file:PATH (was '" + target + "')");
    }
    try {
      return new LineWriter(new FileOutputStream(target.substring("file:".length()), true));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot be opened ("
              + e.getMessage()
              + "); write stdout, or file:PATH of a writable file",
          e);
    }
  }

  /** Returns whether the line was written. */
  boolean write(String line) {
    try {
      // after a failure, a line break ends a partly written line
      out.write(((failing ? "\n" : "") + line + "\n").getBytes(US_ASCII));
      out.flush();
      failing = false;
      return true;
    } catch (IOException e) {
      if (!failing) {
        failing = true;
        LOG.log(Level.WARNING, "the refusal log cannot be written ({0})", e.getMessage());
      }
      return false;
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the refusal log cannot be closed ({0})", e.getMessage());
    }
  }
}
