package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.RetryInfo;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** gRPC calls of a real client to a real server, through the gateway. */
@Tag("slow")
class GatewayGrpcTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final GrpcTestCalls upstream = new GrpcTestCalls();

  @AfterEach
  void close() {
    upstream.close();
  }

  /** A test with a client of a gateway. */
  private interface ClientTest {
    void run(ManagedChannel channel) throws Exception;
  }

  private void through(String rules, ClientTest test, String... flags) throws Exception {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = upstream.url();
    try (RunningServer server = GatewayTestServer.start(folder, rules, all)) {
      ManagedChannel channel = GrpcTestCalls.connect(server.port("gateway"));
      try {
        test.run(channel);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static StatusRuntimeException failure(io.grpc.Channel channel, String method) {
    return catchThrowableOfType(
        StatusRuntimeException.class,
        () ->
            GrpcTestCalls.unary(
                channel, method.equals("Fail") ? GrpcTestCalls.FAIL : GrpcTestCalls.ECHO, "text"));
  }

  @Test
  void allFourKinds_arriveAndAnswer() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          assertThat(GrpcTestCalls.unary(channel, GrpcTestCalls.ECHO, "text")).isEqualTo("text");
          String big = "0123456789".repeat(200_000);
          assertThat(GrpcTestCalls.unary(channel, GrpcTestCalls.ECHO, big)).isEqualTo(big);
          assertThat(GrpcTestCalls.serverStream(channel, 3)).containsExactly("0", "1", "2");
          assertThat(GrpcTestCalls.serverStream(channel, 0)).isEmpty();
          assertThat(GrpcTestCalls.clientStream(channel, "a", "b", "c")).isEqualTo("abc");
          assertThat(GrpcTestCalls.chat(channel, "a", "b"))
              .containsExactly("hello", "re: a", "re: b");
        });
  }

  @Test
  void errorOfTheUpstream_keepsItsStatusMessageAndTrailers() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          StatusRuntimeException failure = failure(channel, "Fail");
          assertThat(failure.getStatus().getCode()).isEqualTo(Code.FAILED_PRECONDITION);
          assertThat(failure.getStatus().getDescription()).isEqualTo("50% of ä");
          assertThat(failure.getTrailers().get(GrpcTestCalls.asciiKey("x-reason")))
              .isEqualTo("tested");
        });
  }

  @Test
  void compressedMessages_areForwardedUntouched() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          String text =
              io.grpc.stub.ClientCalls.blockingUnaryCall(
                  channel,
                  GrpcTestCalls.ECHO,
                  CallOptions.DEFAULT.withCompression("gzip"),
                  "text ".repeat(1000));
          assertThat(text).isEqualTo("text ".repeat(1000));
        });
  }

  @Test
  void refusedCall_isResourceExhaustedWithTheTimeToWait() throws Exception {
    through(
        "rules: [{id: one, per: [path], limit: 1/hour}]",
        channel -> {
          AtomicReference<Metadata> head = new AtomicReference<>();
          io.grpc.Channel capturing =
              ClientInterceptors.intercept(
                  channel,
                  MetadataUtils.newCaptureMetadataInterceptor(head, new AtomicReference<>()));
          assertThat(GrpcTestCalls.unary(channel, GrpcTestCalls.ECHO, "a")).isEqualTo("a");
          StatusRuntimeException failure = failure(capturing, "Echo");
          assertThat(failure.getStatus().getCode()).isEqualTo(Code.RESOURCE_EXHAUSTED);
          assertThat(failure.getStatus().getDescription()).isEqualTo("rate limited by one");
          Metadata trailers = failure.getTrailers();
          long pushback =
              Long.parseLong(trailers.get(GrpcTestCalls.asciiKey("grpc-retry-pushback-ms")));
          assertThat(pushback).isBetween(1L, 3_600_000L);
          assertThat(trailers.get(GrpcTestCalls.asciiKey("retry-after"))).isNotNull();
          com.google.rpc.Status details = StatusProto.fromThrowable(failure);
          assertThat(details.getCode()).isEqualTo(Code.RESOURCE_EXHAUSTED.value());
          RetryInfo retry = details.getDetails(0).unpack(RetryInfo.class);
          long delayMillis =
              retry.getRetryDelay().getSeconds() * 1000
                  + retry.getRetryDelay().getNanos() / 1_000_000;
          assertThat(delayMillis).isBetween(pushback - 1, pushback);
        });
  }

  @Test
  void missingUpstream_isUnavailable() throws Exception {
    upstream.close();
    through(
        GatewayProxyTest.NO_RULES,
        channel ->
            assertThat(failure(channel, "Echo").getStatus().getCode()).isEqualTo(Code.UNAVAILABLE));
  }

  @Test
  void upstreamThatDiesDuringAStream_isUnavailable() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          AtomicReference<Status> end = new AtomicReference<>();
          ClientCall<String, String> call =
              startFlood(channel, end, new AtomicInteger(), Integer.MAX_VALUE);
          Await.until(TIMEOUT, "messages flow", () -> upstream.floodedBytes.get() > 1_000_000);
          upstream.close();
          Await.until(TIMEOUT, "the call ends", () -> end.get() != null);
          assertThat(end.get()).extracting(Status::getCode).isEqualTo(Code.UNAVAILABLE);
          call.cancel("done", null);
        });
  }

  @Test
  void silentUpstream_isDeadlineExceeded() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          StatusRuntimeException failure =
              catchThrowableOfType(
                  StatusRuntimeException.class,
                  () -> GrpcTestCalls.unary(channel, GrpcTestCalls.HANG, ""));
          assertThat(failure.getStatus().getCode()).isEqualTo(Code.DEADLINE_EXCEEDED);
          assertThat(failure.getStatus().getDescription()).contains("did not answer in time");
          assertThat(upstream.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        },
        "gateway-upstream-timeout",
        "500ms");
  }

  @Test
  void cancelledCall_isCancelledAtTheUpstream() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          ClientCall<String, String> call =
              channel.newCall(GrpcTestCalls.HANG, CallOptions.DEFAULT);
          io.grpc.stub.ClientCalls.asyncUnaryCall(
              call, "", GrpcTestCalls.observer(text -> {}, () -> {}));
          assertThat(upstream.hanging.await(60, TimeUnit.SECONDS)).isTrue();
          assertThat(upstream.cancelled.getCount()).isEqualTo(1);
          call.cancel("tested", null);
          assertThat(upstream.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        });
  }

  @Test
  void slowReader_slowsTheUpstreamAndNoOtherCall() throws Exception {
    through(
        GatewayProxyTest.NO_RULES,
        channel -> {
          AtomicReference<Status> end = new AtomicReference<>();
          AtomicInteger received = new AtomicInteger();
          ClientCall<String, String> call = startFlood(channel, end, received, 1);
          Await.until(TIMEOUT, "a message arrives", () -> received.get() == 1);
          for (int i = 0; i < 200; i++) { // would wait for the window of a shared connection
            assertThat(GrpcTestCalls.unary(channel, GrpcTestCalls.ECHO, "x".repeat(10_000)))
                .hasSize(10_000);
          }
          assertThat(upstream.floodedBytes.get()).isLessThan(4_000_000);
          call.request(200);
          Await.until(TIMEOUT, "the rest arrives", () -> received.get() == 201);
          call.cancel("done", null);
          assertThat(upstream.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        });
  }

  /** Starts a call whose upstream sends as fast as it may. */
  private static ClientCall<String, String> startFlood(
      ManagedChannel channel, AtomicReference<Status> end, AtomicInteger received, int requested) {
    ClientCall<String, String> call = channel.newCall(GrpcTestCalls.FLOOD, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(String message) {
            received.incrementAndGet();
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.set(status);
          }
        },
        new Metadata());
    call.request(requested);
    call.sendMessage("");
    call.halfClose();
    return call;
  }

  @Test
  void tenThousandCalls_getExactlyTheirLimit() throws Exception {
    int limit = 6_000;
    int calls = 10_000;
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    through(
        "rules: [{id: all, limit: 6000/day, algorithm: fixed-window}]",
        channel -> {
          ExecutorService threads = Executors.newFixedThreadPool(32);
          try {
            List<java.util.concurrent.Callable<Object>> all = new java.util.ArrayList<>();
            for (int i = 0; i < calls; i++) {
              int kind = i % 4;
              all.add(
                  () -> {
                    try {
                      call(channel, kind);
                      answered.incrementAndGet();
                    } catch (StatusRuntimeException e) {
                      assertThat(e.getStatus().getCode()).isEqualTo(Code.RESOURCE_EXHAUSTED);
                      refused.incrementAndGet();
                    }
                    return null;
                  });
            }
            for (var result : threads.invokeAll(all, 300, TimeUnit.SECONDS)) {
              result.get();
            }
          } finally {
            threads.shutdownNow();
          }
        });
    assertThat(answered.get()).isEqualTo(limit);
    assertThat(refused.get()).isEqualTo(calls - limit);
    assertThat(upstream.answeredCalls.get()).isEqualTo(limit);
  }

  private static void call(ManagedChannel channel, int kind) {
    switch (kind) {
      case 0 -> assertThat(GrpcTestCalls.unary(channel, GrpcTestCalls.ECHO, "e")).isEqualTo("e");
      case 1 -> assertThat(GrpcTestCalls.serverStream(channel, 3)).hasSize(3);
      case 2 -> assertThat(GrpcTestCalls.clientStream(channel, "a", "b")).isEqualTo("ab");
      default -> assertThat(GrpcTestCalls.chat(channel, "m")).containsExactly("hello", "re: m");
    }
  }
}
