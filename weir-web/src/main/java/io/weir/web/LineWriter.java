package io.weir.web;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Writes whole lines without buffering and reports which could not be written. Not thread-safe. */
public final class LineWriter implements AutoCloseable {
  private static final Logger LOG = System.getLogger(LineWriter.class.getName());

  private final String name;
  private final OutputStream out;
  private boolean failing;

  /**
   * @param name what is written, for messages
   */
  public LineWriter(String name, OutputStream out) {
    this.name = name;
    this.out = out;
  }

  /** Opens a writer to {@code stdout} or appending to {@code file:PATH}. */
  public static LineWriter open(String name, String target) {
    if (target.equals("stdout")) {
      return new LineWriter(name, new StdoutStream());
    }
    if (!target.startsWith("file:")) {
      throw new IllegalArgumentException("must be stdout or file:PATH (was '" + target + "')");
    }
    try {
      return new LineWriter(name, new FileOutputStream(target.substring("file:".length()), true));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot be opened ("
              + e.getMessage()
              + "); write stdout, or file:PATH of a writable file",
          e);
    }
  }

  /** Returns whether the line was written. */
  public boolean write(String line) {
    return writeLines(line + "\n");
  }

  /**
   * Writes whole lines, each with its line break.
   *
   * @return whether all of them were written
   */
  public boolean writeLines(CharSequence lines) {
    try {
      // after a failure, a line break ends a partly written line
      out.write(((failing ? "\n" : "") + lines).getBytes(US_ASCII));
      out.flush();
      failing = false;
      return true;
    } catch (IOException e) {
      if (!failing) {
        failing = true;
        LOG.log(Level.WARNING, "the {0} cannot be written ({1})", name, e.getMessage());
      }
      return false;
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the {0} cannot be closed ({1})", name, e.getMessage());
    }
  }
}
