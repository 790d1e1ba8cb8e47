package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** A client that sees bytes, silence and ends as they come, without a protocol in between. */
final class RawTestSocket implements AutoCloseable {
  static final String END = "(end)";
  private static final int READ_TIMEOUT_MILLIS = 10_000;
  private static final int SILENCE_TIMEOUT_MILLIS = 300;

  private final Socket socket;

  RawTestSocket(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
  }

  String request(String line) throws IOException {
    send(line);
    return read();
  }

  /** Whether nothing comes back for a while, not even the end. */
  boolean isSilent(String line) throws IOException {
    send(line);
    socket.setSoTimeout(SILENCE_TIMEOUT_MILLIS);
    try {
      read();
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(READ_TIMEOUT_MILLIS);
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
