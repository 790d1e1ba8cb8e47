package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An upstream server for tests that records every received byte and responds with a fixed text or
 * by a script.
 */
final class RecordingUpstream implements AutoCloseable {
  static final String OK_RESPONSE = response("200 OK", "ok");
  private static final Pattern LENGTH = Pattern.compile("content-length: *([0-9]+)");

  private final ServerSocket server;
  private final ResponseScript script;
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final List<String> requestHeads = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** Responds to a request whose head was read; its body, if any, is still unread. */
  @FunctionalInterface
  interface ResponseScript {
    /**
     * @return whether the connection stays open
     */
    boolean answer(String head, InputStream in, OutputStream out) throws IOException;
  }

  private RecordingUpstream(ResponseScript script) throws IOException {
    this.script = script;
    server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::acceptConnections, "recorder");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  /** Creates an upstream that reads each request completely and responds with a text. */
  static RecordingUpstream answering(String text) {
    return withScript(
        (head, in, out) -> {
          readBody(head, in);
          out.write(text.getBytes(ISO_8859_1));
          return true;
        });
  }

  /** Formats a response. */
  static String response(String status, String body, String... fields) {
    StringBuilder text = new StringBuilder("HTTP/1.1 " + status + "\r\n");
    for (String field : fields) {
      text.append(field).append("\r\n");
    }
    return text + "Content-Length: " + body.length() + "\r\n\r\n" + body;
  }

  static RecordingUpstream withScript(ResponseScript script) {
    try {
      return new RecordingUpstream(script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  int port() {
    return server.getLocalPort();
  }

  /** Every received byte, of all connections. */
  String received() {
    return String.join("", received);
  }

  /** The heads of the received requests. */
  List<String> requestHeads() {
    return requestHeads;
  }

  int connectionCount() {
    return sockets.size();
  }

  /** The values of a field of the last request, joined by |; empty if absent. */
  String lastRequestHeader(String name) {
    String head = requestHeads.get(requestHeads.size() - 1);
    StringBuilder found = new StringBuilder();
    for (String line : head.split("\r\n", -1)) {
      if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
        found
            .append(found.length() > 0 ? "|" : "")
            .append(line.substring(name.length() + 1).trim());
      }
    }
    return found.toString();
  }

  private void acceptConnections() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        Thread thread = new Thread(() -> serve(socket), "recorder-connection");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(new RecordingInputStream(socket.getInputStream()));
      StringBuilder head = new StringBuilder();
      for (int b = in.read(); b >= 0; b = in.read()) {
        head.append((char) b);
        if (head.length() > 3 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
          requestHeads.add(head.toString());
          boolean keepOpen = script.answer(head.toString(), in, socket.getOutputStream());
          socket.getOutputStream().flush();
          if (!keepOpen) {
            return;
          }
          head.setLength(0);
        }
      }
    } catch (IOException e) {
      // the gateway may close connections
    }
  }

  /** Reads the body that a head announces. */
  static String readBody(String head, InputStream in) throws IOException {
    String small = head.toLowerCase(Locale.ROOT);
    Matcher length = LENGTH.matcher(small);
    if (length.find()) {
      return new String(in.readNBytes(Integer.parseInt(length.group(1))), ISO_8859_1);
    }
    StringBuilder body = new StringBuilder();
    while (small.contains("transfer-encoding: chunked")) {
      int size = Integer.parseInt(readLine(in), 16);
      body.append(new String(in.readNBytes(size), ISO_8859_1));
      readLine(in);
      if (size == 0) {
        break;
      }
    }
    return body.toString();
  }

  private static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      line.append((char) b);
    }
    return line.toString().trim();
  }

  private final class RecordingInputStream extends java.io.FilterInputStream {
    RecordingInputStream(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      if (count > 0) {
        received.add(new String(bytes, from, count, ISO_8859_1));
      }
      return count;
    }
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
