package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An HTTP/1 client that writes raw bytes. */
final class RawHttpClient implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("content-length: *([0-9]+)");

  private final Socket socket;

  private RawHttpClient(Socket socket) {
    this.socket = socket;
  }

  static RawHttpClient connect(int port) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(60_000);
      socket.setTcpNoDelay(true);
      return new RawHttpClient(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends one request on a new connection and returns the response. */
  static String exchange(int port, String text) {
    try (RawHttpClient wire = connect(port)) {
      return wire.send(text).readResponse();
    }
  }

  /** Replaces line feeds with CRLF. */
  static String crlf(String text) {
    return text.replace("\n", "\r\n");
  }

  RawHttpClient send(String text) {
    return send(text.getBytes(ISO_8859_1));
  }

  RawHttpClient send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  Socket socket() {
    return socket;
  }

  /** Reads a response head; a part of it if the connection is closed before. */
  String readHead() {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = readByte();
      if (b < 0) {
        break;
      }
      head.append((char) b);
    }
    return head.toString();
  }

  /** Reads a response head and its body. */
  String readResponse() {
    String head = readHead();
    String small = head.toLowerCase(Locale.ROOT);
    Matcher length = LENGTH.matcher(small);
    if (length.find()) {
      return head + readBytes(Integer.parseInt(length.group(1)));
    }
    StringBuilder all = new StringBuilder(head);
    if (small.contains("transfer-encoding: chunked")) {
      while (!all.toString().endsWith("0\r\n\r\n")) {
        int b = readByte();
        if (b < 0) {
          break;
        }
        all.append((char) b);
      }
    }
    return all.toString();
  }

  String readBytes(int count) {
    StringBuilder bytes = new StringBuilder();
    for (int i = 0; i < count; i++) {
      int b = readByte();
      if (b < 0) {
        break;
      }
      bytes.append((char) b);
    }
    return bytes.toString();
  }

  /** Reads until the server closes the connection; fails if it does not. */
  String readToEnd() {
    StringBuilder rest = new StringBuilder();
    for (int b = readByte(); b >= 0; b = readByte()) {
      rest.append((char) b);
    }
    return rest.toString();
  }

  /** Whether the server has closed the connection, or closes it within the read timeout. */
  boolean isClosed() {
    try {
      while (socket.getInputStream().read() >= 0) {
        // discard buffered bytes
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private int readByte() {
    try {
      InputStream in = socket.getInputStream();
      return in.read();
    } catch (SocketTimeoutException e) {
      throw new AssertionError("nothing was received, and the connection is open", e);
    } catch (IOException e) {
      return -1;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
