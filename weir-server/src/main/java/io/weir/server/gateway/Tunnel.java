package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import io.weir.Decision;
import io.weir.http.RateLimitHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket to be: its handshake, made by caller and upstream between themselves, and then the
 * bytes of both. Where the upstream declines, its answer is passed on as any other.
 */
final class Tunnel implements Watchman.Watched {
  private static final int SWITCHING = 101;
  private static final int KEY_LENGTH = 24;
  private static final String WEBSOCKET = "websocket";

  private final RequestHead head;
  private final Connections connections;
  private final Messages messages;
  private final Visit visit;
  private final Decision decision;
  private @Nullable HttpClientRequest upstream;
  private long sentAt;
  private boolean over;

  Tunnel(
      RequestHead head,
      Connections connections,
      Messages messages,
      Visit visit,
      Decision decision) {
    this.head = head;
    this.connections = connections;
    this.messages = messages;
    this.visit = visit;
    this.decision = decision;
  }

  /** Whether a request asks for a WebSocket, in the one way there is. */
  static boolean isAsked(HttpServerRequest http, Upload upload) {
    MultiMap fields = http.headers();
    if (!fields.contains(HttpHeaders.UPGRADE)) {
      return false;
    }
    String key = fields.get("Sec-WebSocket-Key");
    return http.version() == HttpVersion.HTTP_1_1
        && http.method().equals(HttpMethod.GET)
        && upload.isEmpty()
        && fields.getAll(HttpHeaders.UPGRADE).size() == 1
        && WEBSOCKET.equalsIgnoreCase(fields.get(HttpHeaders.UPGRADE))
        && HopByHop.lists(fields, HttpHeaders.CONNECTION, "upgrade")
        && key != null
        && key.length() == KEY_LENGTH;
  }

  void begin() {
    connections
        .tunnel(visit.call().endpoint().target())
        .onComplete(this::send, cause -> fail(Failure.toConnect(cause)));
  }

  private void send(HttpClientRequest request) {
    if (over) {
      request.reset();
      return;
    }
    upstream = request;
    head.write(visit.http(), visit.call(), connections.upstream(), request.headers());
    request.putHeader(HttpHeaders.CONNECTION, "Upgrade").putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    sentAt = connections.watchman().now();
    connections.watchman().add(this);
    request.connect().onComplete(answer -> answer(request, answer), cause -> fail(Failure.BROKEN));
  }

  @Override
  public void look(long now) {
    if (now - sentAt >= connections.limits().silence()) {
      fail(Failure.LATE);
    }
  }

  private void answer(HttpClientRequest request, HttpClientResponse answer) {
    if (over) {
      return;
    }
    connections.watchman().remove(this);
    if (answer.statusCode() == SWITCHING) {
      answer.exceptionHandler(cause -> fail(Failure.BROKEN));
      boolean agreed = WEBSOCKET.equalsIgnoreCase(answer.getHeader(HttpHeaders.UPGRADE));
      if (agreed) {
        connections.counts().answered();
        open(answer);
      } else {
        fail(Failure.BROKEN);
      }
    } else {
      decline(request, answer);
    }
  }

  /** An answer like any other, which must arrive and be read in time like any other. */
  private void decline(HttpClientRequest request, HttpClientResponse answer) {
    over = true;
    Exchange exchange = new Exchange(head, connections, visit, decision);
    visit.http().response().closeHandler(v -> exchange.gone());
    exchange.answered(request, answer);
  }

  private void open(HttpClientResponse answer) {
    over = true;
    NetSocket up = answer.netSocket().pause();
    MultiMap out = visit.http().response().headers();
    Names named = HopByHop.namedBy(answer.headers());
    answer
        .headers()
        .forEach(
            (name, value) -> {
              if (!HopByHop.ALWAYS.has(name) && !named.has(name)) {
                out.add(name, value);
              }
            });
    RateLimitHeaders.write(decision, out::set);
    out.set(HttpHeaders.CONNECTION, "Upgrade").set(HttpHeaders.UPGRADE, WEBSOCKET);
    visit
        .http()
        .toNetSocket()
        .onComplete(caller -> messages.join(visit, caller, up), failed -> up.close());
  }

  /** The caller went away. */
  void gone() {
    if (!over) {
      over = true;
      connections.watchman().remove(this);
      reset();
    }
  }

  private void fail(Failure failure) {
    if (!over) {
      over = true;
      connections.counts().failed(failure);
      connections.watchman().remove(this);
      reset();
      Answers.fail(visit, decision, failure);
    }
  }

  private void reset() {
    if (upstream != null) {
      var unused = upstream.reset();
    }
  }
}
