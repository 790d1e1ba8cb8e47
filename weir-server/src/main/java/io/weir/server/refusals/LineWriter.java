package io.weir.server.refusals;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Writes lines, each at once and whole, and says which it could not. For one thread. */
final class LineWriter implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RefusalLog.class.getName());

  private final OutputStream out;
  private boolean failing;

  LineWriter(OutputStream out) {
    this.out = out;
  }

  /** A writer to {@code stdout} or to the end of {@code file:PATH}. */
  static LineWriter open(String where) {
    if (where.equals("stdout")) {
      return new LineWriter(new StdoutStream());
    }
    if (!where.startsWith("file:")) {
      throw new IllegalArgumentException("'" + where + "' cannot be; write stdout or file:PATH");
    }
    try {
      return new LineWriter(new FileOutputStream(where.substring("file:".length()), true));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot be opened ("
              + e.getMessage()
              + "); write stdout, or file:PATH of a file that may be written",
          e);
    }
  }

  /** Whether it could be written. */
  boolean write(String line) {
    try {
      out.write(((failing ? "\n" : "") + line + "\n").getBytes(US_ASCII)); // past half a line
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
