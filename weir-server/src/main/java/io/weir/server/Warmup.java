package io.weir.server;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.store.Store;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Warms up a listener before the server reports readiness: sends it real requests over real
 * connections, which load and compile the code that callers need. The requests peek, so nothing is
 * charged. They stop after a fixed number of requests or a short time, whichever comes first.
 */
final class Warmup {
  private static final int CONNECTIONS = 8;
  private static final int MAX_REQUESTS_PER_CONNECTION = 80;
  private static final int STORE_REQUESTS_PER_CALLER = 40;
  private static final long MAX_DURATION_MICROS = 400_000;
  private static final long REQUEST_TIMEOUT_MILLIS = 2000;
  private static final String WARMUP_USER = "weir-warm-up";

  private final HttpClientAgent client;
  private final RequestOptions request;
  private final Buffer body;
  private final Clock clock;
  private final long deadlineMicros;

  private Warmup(
      Vertx vertx,
      HttpListener listener,
      HttpVersion version,
      RequestOptions request,
      Buffer body) {
    this.request =
        request
            .setMethod(HttpMethod.POST)
            .setHost(reachableHost(listener.host()))
            .setPort(listener.port())
            .setTimeout(REQUEST_TIMEOUT_MILLIS);
    this.body = body;
    clock = Clock.system();
    deadlineMicros = clock.micros() + MAX_DURATION_MICROS;
    client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(version)
                .setHttp2ClearTextUpgrade(false)
                .setSsl(listener.isTls())
                .setUseAlpn(listener.isTls())
                .setTrustAll(true) // it connects to its own listener
                .setVerifyHost(false),
            new PoolOptions().setHttp1MaxSize(CONNECTIONS));
  }

  /** Warms up the decision API; the future fails if there is no response. */
  static Future<?> warmUpDecisionApi(Vertx vertx, HttpListener listener) {
    RequestOptions peek =
        new RequestOptions().setURI("/v1/peek").putHeader("content-type", "application/json");
    Buffer body = Buffer.buffer("{\"attributes\":{\"user\":\"" + WARMUP_USER + "\"}}");
    return new Warmup(vertx, listener, HttpVersion.HTTP_1_1, peek, body).run();
  }

  /** Warms up the Envoy rate limit service; the future fails if there is no response. */
  static Future<?> warmUpRateLimitService(Vertx vertx, HttpListener listener) {
    RequestOptions call =
        new RequestOptions()
            .setURI("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
            .putHeader("content-type", "application/grpc")
            .putHeader("te", "trailers");
    byte[] message =
        RateLimitRequest.newBuilder()
            .setDomain(WARMUP_USER)
            .addDescriptors(
                RateLimitDescriptor.newBuilder()
                    .setHitsAddend(UInt64Value.of(0)) // a peek
                    .addEntries(
                        RateLimitDescriptor.Entry.newBuilder()
                            .setKey("user")
                            .setValue(WARMUP_USER)))
            .build()
            .toByteArray();
    Buffer body =
        Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
    return new Warmup(vertx, listener, HttpVersion.HTTP_2, call, body).run();
  }

  /**
   * Warms up the path to the store, whatever rules the node has: peeks at counters of a rule of its
   * own. No listener sees these decisions.
   */
  static Future<?> warmUpStore(Store store) {
    Limiter limiter =
        Weir.limiter(
                RuleSet.of(Rule.named(WARMUP_USER).per("user").limit("1000000/second").build()))
            .store(store)
            .build();
    long deadlineMicros = Clock.system().micros() + MAX_DURATION_MICROS;
    List<Future<?>> callers = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      Request request = Request.of("user", WARMUP_USER + i);
      callers.add(peekRepeatedly(limiter, request, STORE_REQUESTS_PER_CALLER, deadlineMicros));
    }
    return Future.join(callers);
  }

  private static Future<?> peekRepeatedly(
      Limiter limiter, Request request, int requests, long deadlineMicros) {
    return Future.fromCompletionStage(limiter.peek(request))
        .compose(
            decision ->
                requests > 1 && Clock.system().micros() < deadlineMicros
                    ? peekRepeatedly(limiter, request, requests - 1, deadlineMicros)
                    : Future.succeededFuture());
  }

  private Future<?> run() {
    List<Future<?>> connections = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      connections.add(sendRepeatedly(MAX_REQUESTS_PER_CONNECTION));
    }
    return Future.join(connections).eventually(client::close);
  }

  private Future<?> sendRepeatedly(int requests) {
    return client
        .request(new RequestOptions(request))
        .compose(sent -> sent.send(body))
        .compose(HttpClientResponse::body)
        .compose(
            reply ->
                requests > 1 && clock.micros() < deadlineMicros
                    ? sendRepeatedly(requests - 1)
                    : Future.succeededFuture());
  }

  /** The host to connect to: localhost for a listener on all addresses. */
  private static String reachableHost(String host) {
    try {
      return InetAddress.getByName(host).isAnyLocalAddress() ? "localhost" : host;
    } catch (UnknownHostException e) {
      return host;
    }
  }
}
