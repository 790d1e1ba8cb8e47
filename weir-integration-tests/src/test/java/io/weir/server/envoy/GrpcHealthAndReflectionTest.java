package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The gRPC health and reflection services. */
class GrpcHealthAndReflectionTest {
  private static final String SERVICE = "envoy.service.ratelimit.v3.RateLimitService";

  private final RunningRateLimitService server =
      new RunningRateLimitService(Weir.inMemory(RuleSet.of()));

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void healthCheck_returnsServingStatus() {
    for (String service : List.of("", SERVICE)) {
      server.serving.set(true);
      assertThat(health(service)).isEqualTo(ServingStatus.SERVING);
      server.serving.set(false);
      assertThat(health(service)).isEqualTo(ServingStatus.NOT_SERVING);
    }
    assertThatThrownBy(() -> health("unknown"))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
  }

  @Test
  void healthWatch_streamsChanges() {
    Iterator<?> states =
        HealthGrpc.newBlockingStub(server.channel)
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .watch(HealthCheckRequest.getDefaultInstance());
    assertThat(states.next().toString()).contains(": SERVING");
    server.serving.set(false);
    assertThat(states.next().toString()).contains(": NOT_SERVING");
  }

  @Test
  void reflection_listsAndDescribesServices() throws Exception {
    ServerReflectionResponse listed =
        reflect(ServerReflectionRequest.newBuilder().setListServices("").build());
    assertThat(listed.getListServicesResponse().getServiceList())
        .extracting(ServiceResponse::getName)
        .contains(SERVICE, "grpc.health.v1.Health");
    ServerReflectionResponse described =
        reflect(ServerReflectionRequest.newBuilder().setFileContainingSymbol(SERVICE).build());
    List<String> files = new ArrayList<>();
    for (ByteString file : described.getFileDescriptorResponse().getFileDescriptorProtoList()) {
      files.add(name(file));
    }
    assertThat(files).contains("envoy/service/ratelimit/v3/rls.proto");
  }

  private static String name(ByteString file) throws InvalidProtocolBufferException {
    return FileDescriptorProto.parseFrom(file).getName();
  }

  private ServingStatus health(String service) {
    return HealthGrpc.newBlockingStub(server.channel)
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .check(HealthCheckRequest.newBuilder().setService(service).build())
        .getStatus();
  }

  private ServerReflectionResponse reflect(ServerReflectionRequest request) throws Exception {
    CompletableFuture<ServerReflectionResponse> future = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(server.channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse value) {
                    future.complete(value);
                  }

                  @Override
                  public void onError(Throwable t) {
                    future.completeExceptionally(t);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(request);
    ServerReflectionResponse response = future.get(30, TimeUnit.SECONDS);
    requests.onCompleted();
    return response;
  }
}
