package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** A client that sees bytes, silence and ends as they come, without a protocol in between. */
final class PlainSocket implements AutoCloseable {
  static final String END = "(end)";
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int SILENCE_MILLIS = 300;

  private final Socket socket;

  PlainSocket(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  String ask(String line) throws IOException {
    send(line);
    return read();
  }

  /** Whether nothing comes back for a while, not even the end. */
  boolean silent(String line) throws IOException {
    send(line);
    socket.setSoTimeout(SILENCE_MILLIS);
    try {
      read();
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(PATIENCE_MILLIS);
    }
  }

  void send(String line) throws IOException {
    try {
      socket.getOutputStream().write((line + "\r\n").getBytes(UTF_8));
    } catch (SocketException e) {
      // that the other side has closed shows when reading
      return;
    }
  }

  String read() throws IOException {
    byte[] buffer = new byte[1 << 10];
    try {
      int n = socket.getInputStream().read(buffer);
      return n < 0 ? END : new String(buffer, 0, n, UTF_8);
    } catch (SocketException e) {
      return END;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
