package io.weir.server.rls;

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
 * gRPC health, version 1: of the server as a whole, which has no name there, and of its service.
 * Vert.x's own says of the whole that it serves, whatever is registered.
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
        asked -> {
          GrpcServerResponse<?, HealthCheckResponse> response = call.response();
          var unused =
              serviceNames.contains(asked.getService())
                  ? response.end(healthResponse(status()))
                  : call.response()
                      .status(GrpcStatus.NOT_FOUND)
                      .statusMessage("there is no such service here")
                      .end();
        });
  }

  private void watch(GrpcServerRequest<HealthCheckRequest, HealthCheckResponse> call) {
    call.handler(
        asked -> new HealthWatch(call, serviceNames.contains(asked.getService())).sendIfChanged());
  }

  private ServingStatus status() {
    return serving.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  private static HealthCheckResponse healthResponse(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /** One who wants to hear of every change, until it goes. */
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
