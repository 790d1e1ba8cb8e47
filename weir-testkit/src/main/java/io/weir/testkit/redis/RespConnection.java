package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection to a server on loopback, for one command at a time. */
final class RespConnection implements AutoCloseable {
  private final Socket socket = new Socket();
  private final InputStream input;

  RespConnection(int port) throws IOException {
    try {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      input = new BufferedInputStream(socket.getInputStream());
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Returns a String, Long, List, null, or an IllegalStateException for an error, not thrown. */
  @Nullable Object send(Duration timeout, String... arguments) throws IOException {
    socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(("*" + arguments.length + "\r\n").getBytes(UTF_8));
    for (String argument : arguments) {
      byte[] bytes = argument.getBytes(UTF_8);
      request.writeBytes(("$" + bytes.length + "\r\n").getBytes(UTF_8));
      request.writeBytes(bytes);
      request.writeBytes("\r\n".getBytes(UTF_8));
    }
    OutputStream out = socket.getOutputStream();
    request.writeTo(out);
    return readReply();
  }

  private @Nullable Object readReply() throws IOException {
    String line = readLine();
    String value = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> value;
      case '-' -> new IllegalStateException(value);
      case ':' -> Long.valueOf(value);
      case '$' -> value.equals("-1") ? null : readText(Integer.parseInt(value));
      case '*' -> value.equals("-1") ? null : readList(Integer.parseInt(value));
      default -> throw new IOException("not a reply of the Redis protocol: " + line);
    };
  }

  private String readText(int length) throws IOException {
    byte[] bytes = input.readNBytes(length);
    readLine();
    return new String(bytes, UTF_8);
  }

  private List<@Nullable Object> readList(int length) throws IOException {
    List<@Nullable Object> list = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      list.add(readReply());
    }
    return list;
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = input.read(); b != '\n'; b = input.read()) {
      if (b < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(UTF_8);
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
