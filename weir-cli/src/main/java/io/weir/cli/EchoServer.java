package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.server.StartException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The upstream of the demo's gateway: an HTTP server that responds with the request it got. */
final class EchoServer implements AutoCloseable {
  private static final int BACKLOG = 100;
  private static final int MAX_BODY_BYTES = 64 * 1024;

  private final HttpServer server;

  /** Opens the server at a free port of the loopback address. */
  EchoServer() {
    try {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      server = HttpServer.create(any, BACKLOG);
    } catch (IOException e) {
      throw new StartException("cannot start the demo's echo server: " + e.getMessage(), e);
    }
    server.createContext("/", EchoServer::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static void handle(HttpExchange exchange) throws IOException {
    StringBuilder request = new StringBuilder();
    request.append(exchange.getRequestMethod()).append(' ').append(exchange.getRequestURI());
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> request.append('\n').append(name).append(": ").append(values));
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
    request.append("\n\n").append(new String(body, UTF_8));
    byte[] response = request.toString().getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(200, head ? -1 : response.length);
    if (!head) {
      exchange.getResponseBody().write(response);
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
