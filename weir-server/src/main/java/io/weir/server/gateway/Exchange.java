package io.weir.server.gateway;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.Decision;
import io.weir.http.Call;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One admitted request on its way to its upstream, and the answer on its way back. Lives on one
 * event loop.
 *
 * <p>It is sent once. Only where the method is safe and the connection, a kept one that the
 * upstream gave up, died before a byte was written, it is sent once more.
 */
final class Exchange implements Watchman.Watched {
  private static final Set<HttpMethod> SAFE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final int FINAL = 200;
  private static final long INTERNAL_ERROR = 2; // of HTTP/2

  private final RequestHead head;
  private final Connections connections;
  private final Visit visit;
  private final HttpServerRequest http;
  private final Call call;
  private final Decision decision;
  private final Upload upload;
  private @Nullable HttpClientRequest upstream;
  private @Nullable Download download;
  private long moved;
  private long heardAt;
  private long paced;
  private long pacedAt;
  private boolean written;
  private boolean again;
  private boolean over;

  Exchange(RequestHead head, Connections connections, Visit visit, Decision decision) {
    this.head = head;
    this.connections = connections;
    this.visit = visit;
    this.http = visit.http();
    this.call = visit.call();
    this.upload = visit.upload();
    this.decision = decision;
  }

  void begin() {
    upload.admit(this::connect, () -> fail(Failure.CUT));
  }

  /** Takes over the answer to a request that was sent already, with the same time-outs. */
  void answered(HttpClientRequest request, HttpClientResponse answer) {
    upstream = request;
    written = true;
    heardAt = connections.watchman().now();
    connections.watchman().add(this);
    answer(answer);
  }

  private void connect() {
    if (!over) {
      connections
          .request(call.endpoint().method(), call.endpoint().target())
          .onComplete(this::send, cause -> unsent(Failure.toConnect(cause)));
    }
  }

  private void send(HttpClientRequest request) {
    if (over) {
      request.reset();
      return;
    }
    upstream = request;
    head.write(http, call, connections.upstream(), request.headers());
    heardAt = connections.watchman().now();
    pacedAt = heardAt;
    connections.watchman().add(this);
    request.response().onComplete(this::answer, cause -> unanswered());
    upload.sendTo(request).onSuccess(v -> written = true);
  }

  private void unanswered() {
    if (written) {
      fail(Failure.BROKEN);
    } else {
      unsent(Failure.BROKEN);
    }
  }

  private void unsent(Failure failure) {
    boolean stale = failure == Failure.BROKEN || failure == Failure.UNREACHABLE;
    if (stale && !again && !over && upload.isEmpty() && SAFE.contains(http.method())) {
      again = true;
      upstream = null;
      connections.watchman().remove(this);
      connect();
    } else {
      fail(failure);
    }
  }

  private void answer(HttpClientResponse answer) {
    if (over) {
      return;
    }
    answer.exceptionHandler(cause -> fail(Failure.BROKEN));
    if (answer.statusCode() < FINAL) {
      fail(Failure.BROKEN);
      return;
    }
    paced = 0;
    pacedAt = connections.watchman().now();
    try {
      download = new Download(http, answer, decision, this::done);
      connections.counts().answered();
    } catch (IllegalArgumentException e) { // a field that cannot be passed on
      fail(Failure.BROKEN);
    }
  }

  private void done() {
    over = true;
    connections.watchman().remove(this);
    if (!upload.isOver()) {
      reset();
      upload.discard();
    }
  }

  /** Fails if the one who is waited for, upstream or caller, has moved too little for too long. */
  @Override
  public void look(long now) {
    Limits limits = connections.limits();
    boolean caller = download == null ? upload.awaitsCaller() : download.awaitsCaller();
    long up = upload.passed();
    long down = download == null ? 0 : download.passed();
    if (now - heardAt >= limits.silence()) {
      if (up + down == moved && !caller) {
        fail(Failure.LATE);
      }
      moved = up + down;
      heardAt = now;
    }
    if (now - pacedAt >= limits.patience()) {
      long sum = download == null ? up : down;
      if (sum - paced < limits.leastBytes() && caller) {
        fail(Failure.SLOW);
      }
      paced = sum;
      pacedAt = now;
    }
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
    if (over) {
      return;
    }
    over = true;
    connections.counts().failed(failure);
    connections.watchman().remove(this);
    reset();
    HttpServerResponse response = http.response();
    if (response.headWritten()) {
      var unused = response.reset(INTERNAL_ERROR);
    } else {
      Answers.fail(visit, decision, failure);
    }
  }

  private void reset() {
    if (upstream != null) {
      var unused = upstream.reset();
    }
  }
}
