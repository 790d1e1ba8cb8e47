package io.weir.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.RateLimitHeaders;
import io.weir.store.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server on loopback that rate-limits callers by the header {@code User}. */
final class RateLimitedServer implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();

  /** A received call and its result. */
  record ReceivedCall(String user, long micros, int status, long retryAfter) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final Limiter limiter;
  final List<ReceivedCall> arrivals = new CopyOnWriteArrayList<>();
  final AtomicInteger failuresLeft = new AtomicInteger();

  private RateLimitedServer(Limiter limiter) throws IOException {
    this.limiter = limiter;
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = HttpServer.create(address, 2000);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  static RateLimitedServer start(Limiter limiter) {
    try {
      return new RateLimitedServer(limiter);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      long now = CLOCK.micros();
      exchange.getRequestBody().readAllBytes();
      String user = String.valueOf(exchange.getRequestHeaders().getFirst("User"));
      int status = 503;
      if (failuresLeft.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
        Decision decision = limiter.decideNow(Request.of("user", user));
        RateLimitHeaders.write(decision, exchange.getResponseHeaders()::set);
        status = decision.allowed() ? 200 : 429;
      }
      String wait = exchange.getResponseHeaders().getFirst("Retry-After");
      arrivals.add(new ReceivedCall(user, now, status, wait == null ? 0 : Long.parseLong(wait)));
      exchange.sendResponseHeaders(status, -1);
    }
  }

  /** Takes a permit of a caller, as if the caller had already called. */
  Decision spend(String user) {
    return limiter.decideNow(Request.of("user", user));
  }

  long count(int status) {
    return arrivals.stream().filter(a -> a.status == status).count();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
