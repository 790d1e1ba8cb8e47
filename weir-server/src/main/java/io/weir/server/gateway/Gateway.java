package io.weir.server.gateway;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.TooManyLimitsException;
import io.weir.http.BadRequestException;
import io.weir.http.Call;
import io.weir.http.Identity;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.server.web.Desk;
import io.weir.server.web.Received;
import io.weir.store.Mode;
import org.jspecify.annotations.Nullable;

/** The door that limits, then forwards. */
public final class Gateway {
  private final Vertx vertx;
  private final Desk desk;
  private final Identity identity;
  private final Routes<Upstream> routes;
  private final Limits limits;
  private final Waiting waiting;
  private final Messages messages;
  private final RequestHead head;
  private final MeterRegistry meters;

  /**
   * @param loops how many event loops it will answer on
   * @throws IllegalArgumentException if an upstream or a route cannot be, saying what to write
   */
  public Gateway(Vertx vertx, Config config, Means means, int loops) {
    this.vertx = vertx;
    desk = means.desk();
    identity = means.identity();
    routes = Routes.read(config.get(Settings.UPSTREAM), config.get(Settings.ROUTES));
    limits = Limits.of(config, loops);
    waiting = new Waiting(vertx, desk.limiter(), config.get(Settings.MAX_WAITING));
    meters = means.meters();
    Gauge.builder("weir.gateway.held", waiting, Waiting::held)
        .description("Requests held for their delay")
        .strongReference(true)
        .register(meters);
    messages = new Messages(vertx, means.messageRules(), means.messages());
    head = new RequestHead(identity, "weir-" + means.node(), config.get(Settings.KEEP_HOST));
  }

  /** Whether there is anywhere to forward to. */
  public boolean hasUpstream() {
    return !routes.isEmpty();
  }

  /** What answers on one event loop, with connections of its own. */
  public Handler<HttpServerRequest> handler() {
    Watchman watchman = new Watchman(vertx, Math.min(limits.silence(), limits.patience()));
    Routes<Connections> to =
        routes.map(
            upstream ->
                new Connections(vertx, upstream, limits, new Counts(meters, upstream), watchman));
    Strict strict = new Strict();
    return http -> handle(http, strict, to);
  }

  private void handle(HttpServerRequest http, Strict strict, Routes<Connections> to) {
    if (strict.isOver(http)) {
      return;
    }
    String doubt = Strict.doubt(http);
    if (doubt != null) {
      strict.refuse(http, doubt);
      return;
    }
    try {
      Call call =
          identity.read(Received.peer(http), http.method().name(), http.uri(), Received.of(http));
      Visit visit = new Visit(http, call, new Upload(http));
      desk.ask(http, call.request(), Mode.TAKE, decision -> decided(visit, decision, to));
    } catch (BadRequestException | TooManyLimitsException e) {
      strict.refuse(http, String.valueOf(e.getMessage()));
    }
  }

  private void decided(Visit visit, Decision decision, Routes<Connections> to) {
    if (visit.http().response().closed()) {
      waiting.gone(decision);
    } else if (!decision.allowed()) {
      Answers.refuse(visit, decision);
    } else if (visit.call().unauthorized()) {
      Answers.unauthorized(visit, decision, identity.challenge());
    } else {
      admit(visit, decision, find(visit.call(), to));
    }
  }

  private static @Nullable Connections find(Call call, Routes<Connections> to) {
    return to.find(call.request().get("host"), call.endpoint().path());
  }

  private void admit(Visit visit, Decision decision, @Nullable Connections connections) {
    if (connections == null) {
      Answers.noRoute(visit, decision);
    } else if (head.isLoop(visit.http())) {
      fail(visit, decision, connections, Failure.LOOP);
    } else if (decision.delay().isZero()) {
      forward(visit, decision, connections);
    } else if (!waiting.hold(visit, decision, () -> forward(visit, decision, connections))) {
      fail(visit, decision, connections, Failure.BUSY);
    }
  }

  private static void fail(
      Visit visit, Decision decision, Connections connections, Failure failure) {
    connections.counts().failed(failure);
    Answers.fail(visit, decision, failure);
  }

  private void forward(Visit visit, Decision decision, Connections connections) {
    if (Tunnel.isAsked(visit.http(), visit.upload())) {
      Tunnel tunnel = new Tunnel(head, connections, messages, visit, decision);
      visit.http().response().closeHandler(v -> tunnel.gone());
      tunnel.begin();
      return;
    }
    Exchange exchange = new Exchange(head, connections, visit, decision);
    visit.http().response().closeHandler(v -> exchange.gone());
    exchange.begin();
  }
}
