package io.weir.admin.alerts;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A web server that records notifications, and rejects them while configured to. */
final class TestWebhookServer implements AutoCloseable {
  private static final int REJECTED_STATUS = 503;

  private final HttpServer server;
  private final List<String> accepted = new CopyOnWriteArrayList<>();
  private final List<String> rejected = new CopyOnWriteArrayList<>();
  private volatile boolean rejecting;

  TestWebhookServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hooks/s3cret");
  }

  void setRejecting(boolean now) {
    rejecting = now;
  }

  List<String> accepted() {
    return accepted;
  }

  List<String> rejected() {
    return rejected;
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    boolean json =
        "application/json".equals(exchange.getRequestHeaders().getFirst("Content-Type"))
            && exchange.getRequestMethod().equals("POST");
    (rejecting || !json ? rejected : accepted).add(body);
    exchange.sendResponseHeaders(rejecting ? REJECTED_STATUS : 204, -1);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
