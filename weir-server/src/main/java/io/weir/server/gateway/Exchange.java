package io.weir.server.gateway;

import io.vertx.core.Vertx;
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
final class Exchange {
  private static final Set<HttpMethod> SAFE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final int FINAL = 200;
  private static final long INTERNAL_ERROR = 2; // of HTTP/2

  private final Vertx vertx;
  private final RequestHead head;
  private final Connections connections;
  private final Visit visit;
  private final HttpServerRequest http;
  private final Call call;
  private final Decision decision;
  private final Upload upload;
  private @Nullable HttpClientRequest upstream;
  private @Nullable Download download;
  private @Nullable Watch silence;
  private @Nullable Watch patience;
  private long moved;
  private long paced;
  private boolean written;
  private boolean again;
  private boolean over;

  Exchange(Vertx vertx, RequestHead head, Connections connections, Visit visit, Decision decision) {
    this.vertx = vertx;
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
    request.response().onComplete(this::answer, cause -> unanswered());
    upload.sendTo(request).onSuccess(v -> written = true);
    Limits limits = connections.limits();
    silence = new Watch(vertx, limits.silence(), this::isHeard);
    if (!upload.isOver()) {
      patience = new Watch(vertx, limits.patience(), this::isPaced);
    }
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
      endWatches();
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
    connections.counts().answered();
    download = new Download(http, answer, decision, this::done);
    if (!over && patience == null) {
      patience = new Watch(vertx, connections.limits().patience(), this::isPaced);
    }
  }

  private void done() {
    over = true;
    endWatches();
    if (!upload.isOver()) {
      reset();
      upload.discard();
    }
  }

  /** Whether the upstream has moved since last asked, or is not the one who is waited for. */
  private boolean isHeard() {
    long sum = upload.passed() + (download == null ? 0 : download.passed());
    boolean waiting = download == null ? upload.awaitsCaller() : download.awaitsCaller();
    if (sum != moved || waiting) {
      moved = sum;
      return true;
    }
    fail(Failure.LATE);
    return false;
  }

  /** Whether the caller has moved enough since last asked, or is not the one who is waited for. */
  private boolean isPaced() {
    long sum = download == null ? upload.passed() : download.passed();
    boolean waiting = download == null ? upload.awaitsCaller() : download.awaitsCaller();
    if (sum - paced >= connections.limits().leastBytes() || !waiting) {
      paced = sum;
      return true;
    }
    fail(Failure.SLOW);
    return false;
  }

  /** The caller went away. */
  void gone() {
    if (!over) {
      over = true;
      endWatches();
      reset();
    }
  }

  private void fail(Failure failure) {
    if (over) {
      return;
    }
    over = true;
    connections.counts().failed(failure);
    endWatches();
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

  private void endWatches() {
    if (silence != null) {
      silence.end();
    }
    if (patience != null) {
      patience.end();
    }
  }
}
