package io.weir.server.alerts;

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

/** A web server that takes notices, or refuses them while told to. */
final class Webhook implements AutoCloseable {
  private static final int REFUSED = 503;

  private final HttpServer server;
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();
  private volatile boolean refuses;

  Webhook() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::take);
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hooks/s3cret");
  }

  void refuses(boolean now) {
    refuses = now;
  }

  List<String> heard() {
    return heard;
  }

  List<String> refused() {
    return refused;
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    boolean json =
        "application/json".equals(exchange.getRequestHeaders().getFirst("Content-Type"))
            && exchange.getRequestMethod().equals("POST");
    (refuses || !json ? refused : heard).add(body);
    exchange.sendResponseHeaders(refuses ? REFUSED : 204, -1);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
