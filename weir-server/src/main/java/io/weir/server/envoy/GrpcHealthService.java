package io.weir.server.envoy;

import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse;
import io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.vertx.grpc.health.v1.HealthProto;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import io.vertx.grpc.server.Service;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The gRPC health service, version 1, for the server as a whole (the empty name) and for the rate
 * limit service. Used instead of Vert.x's, which always reports the whole server as serving.
 */
final class GrpcHealthService {
  private static final ServiceName NAME = ServiceName.create("grpc.health.v1.Health");
  private static final long WATCH_INTERVAL_MILLIS = 1000;

  private final Vertx vertx;
  private final Set<String> serviceNames;
  private final BooleanSupplier serving;

  GrpcHealthService(Vertx vertx, String service, BooleanSupplier serving) {
    this.vertx = vertx;
    this.serviceNames = Set.of("", service);
    this.serving = serving;
  }

  Service service() {
    return Service.service(NAME, HealthProto.getDescriptor().findServiceByName("Health"))
        .bind(method("Check"), this::check)
        .bind(method("Watch"), this::watch)
        .build();
  }

  private static ServiceMethod<HealthCheckRequest, HealthCheckResponse> method(String name) {
    return ServiceMethod.server(
        NAME,
        name,
        GrpcMessageEncoder.encoder(),
        GrpcMessageDecoder.decoder(HealthCheckRequest.getDefaultInstance()));
  }

  private void check(GrpcServerRequest<HealthCheckRequest, HealthCheckResponse> call) {
    call.handler(
        request -> {
          GrpcServerResponse<?, HealthCheckResponse> response = call.response();
          var unused =
              serviceNames.contains(request.getService())
                  ? response.end(healthResponse(status()))
                  : call.response()
                      .status(GrpcStatus.NOT_FOUND)
                      .statusMessage("unknown service")
                      .end();
        });
  }

  private void watch(GrpcServerRequest<HealthCheckRequest, HealthCheckResponse> call) {
    call.handler(
        request ->
            new HealthWatch(call, serviceNames.contains(request.getService())).sendIfChanged());
  }

  private ServingStatus status() {
    return serving.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  private static HealthCheckResponse healthResponse(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /** A client that gets every change of the status until it disconnects. */
  private final class HealthWatch {
    private final GrpcServerResponse<HealthCheckRequest, HealthCheckResponse> response;
    private final boolean known;
    private final long timer;
    private ServingStatus lastSent = ServingStatus.UNKNOWN;

    HealthWatch(GrpcServerRequest<HealthCheckRequest, HealthCheckResponse> call, boolean known) {
      this.known = known;
      response = call.response();
      timer = vertx.setPeriodic(WATCH_INTERVAL_MILLIS, id -> sendIfChanged());
      call.errorHandler(cancelled -> stop());
      call.exceptionHandler(gone -> stop());
      response.exceptionHandler(gone -> stop());
    }

    private void sendIfChanged() {
      ServingStatus now = known ? status() : ServingStatus.SERVICE_UNKNOWN;
      if (now != lastSent) {
        lastSent = now;
        response.write(healthResponse(now)).onFailure(gone -> stop());
      }
    }

    private void stop() {
      vertx.cancelTimer(timer);
    }
  }
}
