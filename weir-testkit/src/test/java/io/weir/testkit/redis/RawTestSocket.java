package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** A client socket that reports bytes, silence and the end of a connection, without a protocol. */
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

  /** Returns whether nothing is received for a while, not even the end of the connection. */
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
      // the closed connection shows when reading
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
