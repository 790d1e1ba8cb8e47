package io.weir.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.server.StartException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A server to put the demonstration's gateway in front of: it answers with what it was sent. */
final class EchoServer implements AutoCloseable {
  private static final int BACKLOG = 100;
  private static final int MAX_BODY_BYTES = 64 * 1024;

  private final HttpServer server;

  /** Opens one at a free port of this machine. */
  EchoServer() {
    try {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      server = HttpServer.create(any, BACKLOG);
    } catch (IOException e) {
      throw new StartException("the echo behind the gateway cannot listen: " + e.getMessage(), e);
    }
    server.createContext("/", EchoServer::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static void handle(HttpExchange exchange) throws IOException {
    StringBuilder heard = new StringBuilder();
    heard.append(exchange.getRequestMethod()).append(' ').append(exchange.getRequestURI());
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> heard.append('\n').append(name).append(": ").append(values));
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
    heard.append("\n\n").append(new String(body, UTF_8));
    byte[] answer = heard.toString().getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(200, head ? -1 : answer.length);
    if (!head) {
      exchange.getResponseBody().write(answer);
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
