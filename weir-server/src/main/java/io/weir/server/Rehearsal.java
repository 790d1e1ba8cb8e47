package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A door's first request, made by the server itself before it says that it is ready: it takes many
 * times as long as any later one, since classes are loaded for it. It asks for nothing that could
 * be decided, and its answer does not matter.
 */
final class Rehearsal {
  private static final long PATIENCE_MS = 2000;

  private Rehearsal() {}

  /** At the decision door; fails if there was no answer. */
  static Future<?> ofDecision(Vertx vertx, OpenDoor door) {
    RequestOptions peek =
        new RequestOptions().setURI("/v1/peek").putHeader("content-type", "application/json");
    return send(vertx, door, HttpVersion.HTTP_1_1, peek, Buffer.buffer("{}"));
  }

  /** At Envoy's door; fails if there was no answer. */
  static Future<?> ofEnvoy(Vertx vertx, OpenDoor door) {
    RequestOptions call =
        new RequestOptions()
            .setURI("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
            .putHeader("content-type", "application/grpc")
            .putHeader("te", "trailers");
    Buffer nothing = Buffer.buffer(new byte[5]); // a message of no bytes
    return send(vertx, door, HttpVersion.HTTP_2, call, nothing);
  }

  private static Future<?> send(
      Vertx vertx, OpenDoor door, HttpVersion version, RequestOptions request, Buffer body) {
    HttpClientAgent client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(version)
                .setHttp2ClearTextUpgrade(false)
                .setSsl(door.isTls())
                .setUseAlpn(door.isTls())
                .setTrustAll(true) // it talks to itself
                .setVerifyHost(false));
    request
        .setMethod(HttpMethod.POST)
        .setHost(reachable(door.host()))
        .setPort(door.port())
        .setTimeout(PATIENCE_MS);
    return client
        .request(request)
        .compose(asked -> asked.send(body))
        .compose(HttpClientResponse::body)
        .eventually(client::close);
  }

  /** A door that listens everywhere is found on this machine. */
  private static String reachable(String host) {
    try {
      return InetAddress.getByName(host).isAnyLocalAddress() ? "localhost" : host;
    } catch (UnknownHostException e) {
      return host;
    }
  }
}
