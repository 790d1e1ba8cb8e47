package io.weir.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Parses commands of the Redis protocol from the bytes of one connection: arrays of bulk strings,
 * and inline commands, whose words are separated by spaces. Sizes are bounded, and no memory is
 * reserved for bytes that have only been announced. Not thread-safe.
 */
final class RespCommandParser {
  static final int MAX_ARGUMENTS = 32;
  static final int MAX_ARGUMENT_BYTES = 65_536;

  private static final int MAX_LINE_BYTES = 4096;
  private static final int INCOMPLETE = -1;

  private byte[] bytes = {};
  private int position;

  /** Reads all complete commands, in order. */
  void parse(Buffer received, Consumer<List<String>> commands) throws RespProtocolException {
    byte[] rest = Arrays.copyOfRange(bytes, position, bytes.length + received.length());
    received.getBytes(rest, bytes.length - position);
    bytes = rest;
    position = 0;
    while (position < bytes.length) {
      int start = position;
      List<String> command = new ArrayList<>();
      if (!readCommand(command)) {
        position = start;
        return;
      }
      if (!command.isEmpty()) {
        commands.accept(command);
      }
    }
  }

  /** Reads a command; returns false if it is incomplete. */
  private boolean readCommand(List<String> command) throws RespProtocolException {
    boolean array = bytes[position] == '*';
    int line = position + (array ? 1 : 0);
    int end = lineEnd(line);
    if (end == INCOMPLETE) {
      return false;
    }
    if (!array) {
      for (String word : text(line, end).trim().split(" +")) {
        if (!word.isEmpty()) {
          command.add(word);
        }
      }
      return true;
    }
    int count = number(line, end, MAX_ARGUMENTS, "the number of arguments");
    for (int i = 0; i < count; i++) {
      if (!readBulkString(command)) {
        return false;
      }
    }
    return true;
  }

  private boolean readBulkString(List<String> command) throws RespProtocolException {
    if (position >= bytes.length) {
      return false;
    }
    if (bytes[position] != '$') {
      throw new RespProtocolException(
          "expected '$', got '" + (char) (bytes[position] & 0xff) + "'");
    }
    int line = position + 1;
    int end = lineEnd(line);
    if (end == INCOMPLETE) {
      return false;
    }
    int length = number(line, end, MAX_ARGUMENT_BYTES, "the length of an argument");
    if (bytes.length - position < length + 2) {
      return false;
    }
    if (bytes[position + length] != '\r' || bytes[position + length + 1] != '\n') {
      throw new RespProtocolException("an argument must end with CRLF");
    }
    command.add(text(position, position + length));
    position += length + 2;
    return true;
  }

  /** Returns the end of the line that starts here, and moves behind it. */
  private int lineEnd(int start) throws RespProtocolException {
    for (int i = start; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        position = i + 1;
        return i > start && bytes[i - 1] == '\r' ? i - 1 : i;
      }
      if (i - start >= MAX_LINE_BYTES) {
        throw new RespProtocolException("a line must be at most " + MAX_LINE_BYTES + " bytes");
      }
    }
    return INCOMPLETE;
  }

  private int number(int start, int end, int max, String what) throws RespProtocolException {
    String text = text(start, end);
    if (!text.matches("[0-9]{1,7}") || Integer.parseInt(text) > max) {
      throw new RespProtocolException(
          "%s must be from 0 to %d (was '%s')"
              .formatted(what, max, text.length() > 20 ? text.substring(0, 20) + "…" : text));
    }
    return Integer.parseInt(text);
  }

  private String text(int start, int end) {
    return new String(bytes, start, end - start, UTF_8);
  }
}
