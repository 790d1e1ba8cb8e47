package io.weir.cli.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.http.BadRequestException;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads an access log line by line, so that its size does not matter. The format is recognized by
 * the first line, compression (gzip) by the first bytes. Not thread-safe.
 */
public final class AccessLog {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int GZIP_FIRST_BYTE = 0x1f;
  private static final int GZIP_SECOND_BYTE = 0x8b;

  private final String name;
  private final boolean skipInvalid;
  private long lines;
  private long invalidLines;
  private long invalidRequests;
  private String firstProblem = "";

  /**
   * @param name the name of the log in error messages
   * @param skipInvalid whether lines that are not of the format are skipped, not an error
   */
  public AccessLog(String name, boolean skipInvalid) {
    this.name = name;
    this.skipInvalid = skipInvalid;
  }

  /**
   * Passes the requests of the log to the consumer, in the order of the lines.
   *
   * @throws IllegalArgumentException if a line is invalid; the message starts with its place
   */
  public void forEach(InputStream bytes, Consumer<LoggedRequest> consumer) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(decompress(bytes), UTF_8), BUFFER_BYTES)) {
      LogFormat format = null;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines++;
        String text = lines == 1 && line.startsWith("\ufeff") ? line.substring(1) : line;
        if (!text.isBlank() && !text.startsWith("#")) {
          boolean first = format == null;
          format = first ? detect(text) : format;
          if (format != null && !(first && format.hasHeader())) {
            read(format, text, consumer);
          }
        }
      }
    } catch (ZipException | EOFException e) {
      throw new IllegalArgumentException(
          "%s:%d: the compressed file is damaged or cut off after this line".formatted(name, lines),
          e);
    }
    if (lines == 0) {
      throw new IllegalArgumentException(name + ": is empty; use a log with requests");
    }
  }

  private LogFormat detect(String line) {
    try {
      return LogFormat.detect(line);
    } catch (IllegalArgumentException e) {
      throw atLine(e);
    }
  }

  private void read(LogFormat format, String line, Consumer<LoggedRequest> consumer) {
    LoggedRequest request = null;
    try {
      request = LogFields.toRequest(format.parse(line));
    } catch (BadRequestException e) {
      invalidRequests++;
      recordProblem(e);
    } catch (IllegalArgumentException e) {
      if (!skipInvalid) {
        throw atLine(e);
      }
      invalidLines++;
      recordProblem(e);
    }
    if (request != null) {
      consumer.accept(request);
    }
  }

  private void recordProblem(RuntimeException e) {
    if (firstProblem.isEmpty()) {
      firstProblem = "%s:%d: %s".formatted(name, lines, e.getMessage());
    }
  }

  private IllegalArgumentException atLine(IllegalArgumentException e) {
    return new IllegalArgumentException("%s:%d: %s".formatted(name, lines, e.getMessage()), e);
  }

  private static InputStream decompress(InputStream bytes) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(bytes, BUFFER_BYTES);
    buffered.mark(2);
    boolean compressed = buffered.read() == GZIP_FIRST_BYTE && buffered.read() == GZIP_SECOND_BYTE;
    buffered.reset();
    return compressed ? new GZIPInputStream(buffered, BUFFER_BYTES) : buffered;
  }

  /** Returns the number of skipped lines that do not have the format of the log. */
  public long invalidLines() {
    return invalidLines;
  }

  /** Returns the number of skipped requests that are not valid HTTP requests. */
  public long invalidRequests() {
    return invalidRequests;
  }

  /** Returns the place and reason of the first skipped line; empty if there is none. */
  public String firstProblem() {
    return firstProblem;
  }
}
