package example;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.rules.Rules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The JDK's HTTP server with a rate limit, without a framework. */
public final class PlainServer implements AutoCloseable {
  private final Limiter limiter;
  private final HttpServer server;

  public PlainServer(Limiter limiter, int port) throws IOException {
    this.limiter = limiter;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String ip = exchange.getRemoteAddress().getAddress().getHostAddress();
    Decision decision = limiter.decideNow(Request.of("ip", ip));
    RateLimitHeaders.write(decision, exchange.getResponseHeaders()::set);
    if (decision.allowed()) {
      answer(exchange, 200, "text/plain", "Festina lente.");
    } else {
      RefusalResponse refusal =
          RefusalResponse.of(decision, exchange.getRequestHeaders().getFirst("Accept"));
      answer(exchange, refusal.status(), refusal.contentType(), refusal.body());
    }
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  public static void main(String[] args) throws IOException {
    Limiter limiter =
        Weir.inMemory(Rules.parse("rules: [{id: quotes, per: [ip], limit: 10/minute}]"));
    PlainServer server = new PlainServer(limiter, 8085);
    System.out.println("curl -i http://127.0.0.1:" + server.port());
  }
}
